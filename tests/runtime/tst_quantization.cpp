// SPDX-License-Identifier: MIT
// Weights in int8 as numbers: what is generated, what the kernel makes of it, and that the check sees a wrong scale.
#include "tests/plan/plan_experiments.h"
#include "tests/runtime/rank_harness.h"
#include "tests/runtime/tensor_checks.h"

#include "engine/plan/traffic.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/kernels.h"
#include "engine/runtime/reference_check.h"
#include "engine/runtime/torch_types.h"
#include "engine/runtime/weights.h"

#include <QtTest>

#include <algorithm>

using namespace shardscope;

namespace {

Experiment int8Experiment(Scheme scheme, int ranks, DType dtype = DType::F32)
{
    Experiment experiment = smallExperiment(scheme, Phase::Prefill, ranks, dtype);
    experiment.weightDtype = WeightDType::Int8;
    return experiment;
}

const Tensor &generated(const Plan &plan, const std::string &name)
{
    return *std::ranges::find_if(plan.tensors, [&](const Tensor &t) { return t.generated && t.name == name; });
}

at::Tensor all(const Plan &plan, const std::string &name)
{
    const Tensor &tensor = generated(plan, name);
    return generate(tensor, wholeRegion(tensor), ValueSource(5));
}

/// What the ranks hold together.
at::Tensor joined(const Plan &plan, const std::string &name)
{
    const Tensor &tensor = generated(plan, name);
    std::vector<at::Tensor> parts;
    for (int rank = 0; rank < plan.mesh().size(); ++rank)
        parts.push_back(generate(tensor, localRegion(tensor, plan.mesh(), rank), ValueSource(5)));
    const Placement &cut = along(tensor.layout, MeshAxis::Tp);
    return cut.isShard() ? at::cat(parts, cut.dim) : parts.back();
}

NamedTensors shards(const Plan &plan, const ValueSource &source, int rank)
{
    NamedTensors values;
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated)
            values[tensor.name] = generate(tensor, localRegion(tensor, plan.mesh(), rank), source);
    return values;
}

/// The check of Y, with the rank's values as `spoil` leaves them.
CheckEvent checkOf(const Experiment &experiment, Communicators &groups,
                   const std::function<void(NamedTensors &)> &spoil = {})
{
    const Plan plan = buildPlan(experiment);
    const ValueSource source(experiment.seed);
    Executor executor(plan, groups);
    NamedTensors values = shards(plan, source, groups.rank());
    if (spoil)
        spoil(values);
    executor.setInputs(values);
    Trace trace;
    executor.run(trace);
    return checkResults(plan, executor, source, groups.world()).front();
}

} // namespace

class TestQuantization : public QObject
{
    Q_OBJECT

private slots:
    void aColumnReachesItsLargestStep();
    void ranksHoldTheNumbersOfOne();
    void kernelMultipliesOnce();
    void anySchemeIsRight_data();
    void anySchemeIsRight();
    void aWrongScaleFails();
    void roundingIsReportedWhateverTheDtype();
    void otherRunsReportNone();
    void memoryIsThatOfTheFormula();
};

/// Symmetric: the scale is max|w|/127 of the column, so the largest is 127 and none is off by more than half a step.
void TestQuantization::aColumnReachesItsLargestStep()
{
    verify(inRanks(1, [](Communicator &, const Expect &expect) {
        const Plan int8 = buildPlan(int8Experiment(Scheme::Row, 1));
        Experiment plain = int8.experiment;
        plain.weightDtype = WeightDType::Same;
        const at::Tensor w = all(buildPlan(plain), "W");
        const at::Tensor q = all(int8, "W");
        const at::Tensor scales = all(int8, "s:W");
        expect(q.scalar_type() == at::kChar && scales.scalar_type() == at::kFloat, "formats");
        expect(at::allclose(scales, w.abs().amax(0) / 127), "a scale is not max|w|/127");
        expect(q.to(at::kInt).abs().amax(0).eq(127).all().item<bool>(), "a column's largest value is not 127 steps");
        const at::Tensor off = (q.to(at::kFloat) * scales - w).abs() / scales;
        expect(off.max().item<float>() <= 0.5001F, "an element is off by more than half a step");
        expect(off.mean().item<float>() > 0.2F, "rounded to nearest, a quarter of a step is lost on average");
    }));
}

void TestQuantization::ranksHoldTheNumbersOfOne()
{
    verify(inRanks(1, [](Communicator &, const Expect &expect) {
        const Plan one = buildPlan(int8Experiment(Scheme::Mlp, 1));
        for (const int ranks : {2, 3, 4}) {
            const Plan many = buildPlan(int8Experiment(Scheme::Mlp, ranks));
            for (const char *name : {"W1", "s:W1", "W2", "s:W2"})
                expect(at::equal(joined(many, name), all(one, name)), name + std::to_string(ranks));
        }
    }));
}

void TestQuantization::kernelMultipliesOnce()
{
    Step step;
    step.kind = StepKind::Dequantize;
    const at::Tensor weight = at::tensor({-127, 3, 0, 64}, at::kChar).view({2, 2});
    const at::Tensor scales = at::tensor({0.5F, 0.0078125F});
    const at::Tensor right = at::tensor({-63.5, 0.0234375, 0.0, 0.5}, at::kDouble).view({2, 2});
    for (const DType dtype : {DType::F32, DType::F64, DType::BF16}) {
        const at::Tensor made = runKernel(step, {weight, scales}, false, {.dtype = dtype})[0];
        QVERIFY(made.scalar_type() == scalarType(dtype));
        QVERIFY(
            at::equal(made.to(at::kDouble), dtype == DType::BF16 ? right.to(at::kBFloat16).to(at::kDouble) : right));
    }
}

void TestQuantization::anySchemeIsRight_data()
{
    QTest::addColumn<int>("scheme");
    for (const Scheme scheme : {Scheme::Column, Scheme::Row, Scheme::Mlp, Scheme::Attention, Scheme::Block})
        QTest::newRow(name(scheme).data()) << int(scheme);
}

void TestQuantization::anySchemeIsRight()
{
    QFETCH(int, scheme);
    verify(inRanks(4, [&](Communicators &groups, const Expect &expect) {
        for (const DType dtype : {DType::F32, DType::F64, DType::BF16}) {
            const CheckEvent check = checkOf(int8Experiment(Scheme(scheme), 4, dtype), groups);
            expect(check.passed, std::string(name(dtype)) + " is off by " + std::to_string(check.relativeError));
        }
    }));
}

void TestQuantization::aWrongScaleFails()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        const CheckEvent check = checkOf(int8Experiment(Scheme::Mlp, 2), groups,
                                         [](NamedTensors &values) { values["s:W2"] = values["s:W2"] * 1.001; });
        expect(!check.passed, "scales that are a thousandth too large pass");
    }));
}

/// Each weight is off by a 127th of the column's largest over sqrt(12), so results are off by nearly a per cent.
void TestQuantization::roundingIsReportedWhateverTheDtype()
{
    for (const int ranks : {1, 4}) {
        verify(inRanks(ranks, [](Communicators &groups, const Expect &expect) {
            const CheckEvent check = checkOf(int8Experiment(Scheme::Mlp, groups.size()), groups);
            expect(check.quantizationError > 2e-3 && check.quantizationError < 2e-2,
                   "int8 moves Y by " + std::to_string(check.quantizationError));
            const CheckEvent exact = checkOf(int8Experiment(Scheme::Mlp, groups.size(), DType::F64), groups);
            expect(std::abs(check.quantizationError / exact.quantizationError - 1) < 1e-3,
                   "and by " + std::to_string(exact.quantizationError) + " in f64");
        }));
    }
}

void TestQuantization::otherRunsReportNone()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        const CheckEvent check = checkOf(smallExperiment(Scheme::Mlp, Phase::Prefill, 2), groups);
        expect(check.quantizationError == kUnknownError, "a run without int8 reports its rounding");
    }));
}

void TestQuantization::memoryIsThatOfTheFormula()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        Experiment experiment = int8Experiment(Scheme::Mlp, 2);
        experiment.hidden = 128; // so that weights are what counts
        experiment.ffn = 512;
        const auto peakOf = [&](const Experiment &each) {
            const Plan plan = buildPlan(each);
            Executor executor(plan, groups);
            executor.setInputs(shards(plan, ValueSource(1), groups.rank()));
            Trace trace;
            executor.run(trace);
            expect(std::abs(double(executor.peakBytes()) / double(peakBytesPerRank(plan)) - 1) < 0.1, "formula");
            return executor.peakBytes();
        };
        const std::int64_t int8 = peakOf(experiment);
        experiment.weightDtype = WeightDType::Same;
        // Two weights in int8 and one of them in f32 while it is multiplied, instead of two in f32.
        expect(double(int8) < 0.8 * double(peakOf(experiment)), "int8 saves no memory");
    }));
}

QTEST_GUILESS_MAIN(TestQuantization)
#include "tst_quantization.moc"
