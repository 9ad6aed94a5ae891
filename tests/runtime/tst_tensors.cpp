// SPDX-License-Identifier: MIT
// Tensors inside ranks: shards, the executor on integers bit for bit, the reference against autograd. All of it in
// forked ranks; the test itself stays without threads.
#include "tests/runtime/rank_harness.h"
#include "tests/runtime/tensor_checks.h"

#include "engine/plan/experiment_options.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/reference.h"
#include "engine/runtime/reference_check.h"
#include "engine/runtime/torch_types.h"
#include "engine/runtime/weights.h"

#include <QtTest>

using namespace shardscope;

namespace {

NamedTensors shards(const Plan &plan, const ValueSource &source, int rank)
{
    NamedTensors values;
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated)
            values[tensor.name] = generate(tensor, localRegion(tensor, plan.mesh(), rank), source);
    return values;
}

Region wholeOf(const Tensor &tensor)
{
    return {{0, tensor.shape[0].size}, {0, tensor.shape.size() == 2 ? tensor.shape[1].size : 1}};
}

const Tensor &generatedTensor(const Plan &plan, const std::string &name)
{
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated && tensor.name == name)
            return tensor;
    throw std::out_of_range(name);
}

} // namespace

class TestTensors : public QObject
{
    Q_OBJECT

private slots:
    void shardsArePartsOfTheWhole();
    void fills();
    void integersAreExact_data();
    void integersAreExact();
    void referenceAgainstAutograd_data();
    void referenceAgainstAutograd();
    void referenceInBlocksAndShares();
    void nanFailsTheCheck();
    void ranksThatDisagreeFailTheCheck();
    void unshardedIsWhatOneRankComputes_data();
    void unshardedIsWhatOneRankComputes();
    void lostDigitsFailTheCheck();
    void limits();
    void memoryCountsEachStorageOnce();
    void timingCanBeSwitchedOff();
};

void TestTensors::shardsArePartsOfTheWhole()
{
    verify(inRanks(1, [](Communicator &, const Expect &expect) {
        for (const int ranks : {1, 2, 3, 4}) {
            const Plan plan = buildPlan(smallExperiment(Scheme::Mlp, Phase::Training, ranks, DType::BF16));
            for (const Tensor &tensor : plan.tensors) {
                if (!tensor.generated)
                    continue;
                const at::Tensor whole = generate(tensor, wholeOf(tensor), ValueSource(3));
                const Placement &cut = along(tensor.layout, MeshAxis::Tp);
                std::vector<at::Tensor> parts;
                for (int rank = 0; rank < ranks; ++rank)
                    parts.push_back(generate(tensor, localRegion(tensor, plan.mesh(), rank), ValueSource(3)));
                const bool sharded = cut.kind == PlacementKind::Shard;
                expect(at::equal(sharded ? at::cat(parts, cut.dim) : parts.front(), whole), tensor.name);
            }
        }
    }));
}

void TestTensors::fills()
{
    verify(inRanks(1, [](Communicator &, const Expect &expect) {
        Tensor tensor;
        tensor.name = "g1";
        tensor.shape = {{"h", 4000}};
        tensor.fill = Fill::AroundOne;
        const ValueSource source(1);
        const at::Tensor scale = generate(tensor, wholeOf(tensor), source);
        const double mean = scale.mean().item<double>();
        const double deviation = scale.std(0, true, false).item<double>();
        expect(std::abs(mean - 1) < 0.01 && std::abs(deviation - 0.1) < 0.01, "around one");
        expect(at::equal(generate(tensor, {{1000, 500}}, source), scale.narrow(0, 1000, 500)), "a part of it");

        tensor.fill = Fill::Zeros;
        tensor.dtype = DType::BF16;
        expect(at::equal(generate(tensor, {{7, 5}}, source), at::zeros({5}, at::kBFloat16)), "zeros");

        tensor.fill = Fill::Indices;
        tensor.dtype = DType::I64;
        tensor.indexBound = 50;
        const at::Tensor ids = generate(tensor, wholeOf(tensor), source);
        expect(ids.scalar_type() == at::kLong && ids.min().item<std::int64_t>() == 0 &&
                   ids.max().item<std::int64_t>() == 49,
               "indices");
        expect(at::equal(generate(tensor, {{1000, 500}}, source), ids.narrow(0, 1000, 500)), "a part of them");
    }));
}

void TestTensors::integersAreExact_data()
{
    QTest::addColumn<int>("ranks");
    for (const int ranks : {1, 2, 3, 4})
        QTest::addRow("N = %d", ranks) << ranks;
}

/// Sums of -1, 0, 1 are exact in any order: every bit must be right, whatever the ranks, dtype and algorithm.
void TestTensors::integersAreExact()
{
    QFETCH(int, ranks);
    verify(inRanks(ranks, [](Communicators &groups, const Expect &expect) {
        for (const Scheme scheme : {Scheme::Column, Scheme::Row})
            for (const DType dtype : {DType::F32, DType::F64, DType::BF16})
                for (const Algorithm algorithm : kAlgorithms)
                    for (const bool other : {false, true}) {
                        Experiment experiment = smallExperiment(scheme, Phase::Training, groups.size(), dtype);
                        experiment.algorithm = algorithm;
                        experiment.gatherOutput = other && scheme == Scheme::Column;
                        experiment.inputParallel = !(other && scheme == Scheme::Row);
                        if (validate(experiment))
                            continue;
                        const Plan plan = buildPlan(experiment);
                        const ValueSource source(1, Values::Integers);
                        Executor executor(plan, groups);
                        executor.setInputs(shards(plan, source, groups.rank()));
                        Trace trace;
                        executor.run(trace);
                        for (const CheckEvent &check : checkResults(plan, executor, source, groups.world()))
                            expect(check.relativeError == 0 && check.passed,
                                   commandLine(experiment) + ": " + check.name);
                    }
    }));
}

void TestTensors::referenceAgainstAutograd_data()
{
    QTest::addColumn<int>("scheme");
    QTest::addColumn<int>("mlp");
    QTest::newRow("column") << int(Scheme::Column) << 0;
    QTest::newRow("row") << int(Scheme::Row) << 0;
    QTest::newRow("gelu") << int(Scheme::Mlp) << int(MlpKind::Gelu);
    QTest::newRow("swiglu") << int(Scheme::Mlp) << int(MlpKind::Swiglu);
}

void TestTensors::referenceAgainstAutograd()
{
    QFETCH(int, scheme);
    QFETCH(int, mlp);
    verify(inRanks(1, [&](Communicator &, const Expect &expect) {
        Experiment experiment = smallExperiment(Scheme(scheme), Phase::Training, 1, DType::F64);
        experiment.mlp = MlpKind(mlp);
        const Plan plan = buildPlan(experiment);
        const ValueSource source(5);
        NamedTensors leaves;
        const auto leaf = [&](const std::string &name) {
            const Tensor &tensor = generatedTensor(plan, name);
            return leaves[name] = generate(tensor, wholeOf(tensor), source).requires_grad_();
        };
        const at::Tensor x = leaf("X");
        at::Tensor y;
        if (Scheme(scheme) != Scheme::Mlp)
            y = at::mm(x, leaf("W")) + leaf("b");
        else if (MlpKind(mlp) == MlpKind::Gelu)
            y = at::mm(at::gelu(at::mm(x, leaf("W1")) + leaf("b1")), leaf("W2")) + leaf("b2");
        else
            y = at::mm(at::silu(at::mm(x, leaf("Wg")) + leaf("bg")) * (at::mm(x, leaf("Wu")) + leaf("bu")),
                       leaf("W2")) +
                leaf("b2");
        const Tensor &arriving = generatedTensor(plan, "dY");
        y.backward(generate(arriving, wholeOf(arriving), source));

        const Reference reference(plan, source);
        const auto expected = [&](const std::string &name, const at::Tensor &like) {
            const Region region{{0, like.size(0)}, {0, like.dim() == 2 ? like.size(1) : 1}};
            return reference.expected(name, region);
        };
        expect(relative(expected("Y", y), y.detach()) < 1e-14, "Y");
        for (const auto &[name, value] : leaves)
            expect(relative(expected("d" + name, value), value.grad()) < 1e-13, "d" + name);
        expect(leaves.size() + 1 == plan.results.size(), "a result without a leaf");
    }));
}

/// Columns in blocks and shares over ranks change nothing: 5 million weights need several blocks.
void TestTensors::referenceInBlocksAndShares()
{
    verify(inRanks(2, [](Communicator &communicator, const Expect &expect) {
        Experiment experiment = smallExperiment(Scheme::Row, Phase::Training, 1, DType::F32);
        experiment.hidden = 2500;
        experiment.ffn = 2000;
        const Plan plan = buildPlan(experiment);
        const ValueSource source(2);
        const Tensor &w = generatedTensor(plan, "W");
        const auto asF64 = [&](const std::string &name) {
            const Tensor &tensor = generatedTensor(plan, name);
            return generateAsF64(tensor, wholeOf(tensor), source);
        };
        const at::Tensor y = at::mm(asF64("X"), asF64("W")) + asF64("b");
        const at::Tensor dX = at::mm(asF64("dY"), asF64("W").t());
        const Reference shared(plan, source, {communicator.rank(), communicator.size(), [&](at::Tensor &tensor) {
                                                  communicator.allReduce(tensor, Algorithm::Library);
                                              }});
        const Reference alone(plan, source);
        for (const Reference *reference : {&shared, &alone}) {
            expect(relative(reference->expected("Y", {{0, 10}, {0, 2500}}), y) < 1e-13, "Y");
            expect(relative(reference->expected("dX", {{0, 10}, {0, 2000}}), dX) < 1e-13, "dX");
            const Region part{{10, 20}, {100, 300}};
            const at::Tensor dW = at::mm(asF64("X").t(), asF64("dY"));
            expect(relative(reference->expected("dW", part), dW.narrow(0, 10, 20).narrow(1, 100, 300)) < 1e-13, "dW");
        }
        expect(w.shape[0].size == 2000, "W is [in, out]");
    }));
}

void TestTensors::nanFailsTheCheck()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        const Plan plan = buildPlan(smallExperiment(Scheme::Column, Phase::Training, 2, DType::F32));
        const ValueSource source(1);
        NamedTensors inputs = shards(plan, source, groups.rank());
        if (groups.rank() == 1) // one element of one rank's weight
            inputs.at("W").view(-1)[3] = std::numeric_limits<float>::quiet_NaN();
        Executor executor(plan, groups);
        executor.setInputs(inputs);
        Trace trace;
        executor.run(trace);
        for (const CheckEvent &check : checkResults(plan, executor, source, groups.world()))
            if (check.name == "Y" || check.name == "dX") // every rank must hear of it
                expect(!check.passed && check.relativeError == -1, check.name);
    }));
}

void TestTensors::ranksThatDisagreeFailTheCheck()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        const Plan plan = buildPlan(smallExperiment(Scheme::Row, Phase::Prefill, 2, DType::F32));
        const ValueSource source(1);
        Executor executor(plan, groups);
        executor.setInputs(shards(plan, source, groups.rank()));
        Trace trace;
        executor.run(trace);
        at::Tensor y = executor.value(plan.results.front());
        if (groups.rank() == 1)
            y[0][0].add_(1e-6F); // far below the limit of the reference, yet not the same bits
        for (const CheckEvent &check : checkResults(plan, executor, source, groups.world()))
            expect(check.passed == (check.name == "Y"), check.name);
    }));
}

void TestTensors::unshardedIsWhatOneRankComputes_data()
{
    QTest::addColumn<int>("dtype");
    QTest::newRow("f32") << int(DType::F32);
    QTest::newRow("bf16") << int(DType::BF16);
}

/// Bit for bit: the same kernels in the same order, on the same values.
void TestTensors::unshardedIsWhatOneRankComputes()
{
    QFETCH(int, dtype);
    verify(inRanks(1, [&](Communicators &groups, const Expect &expect) {
        for (const Scheme scheme : {Scheme::Row, Scheme::Mlp})
            for (const MlpKind kind : {MlpKind::Gelu, MlpKind::Swiglu})
                for (const bool bias : {true, false}) {
                    Experiment experiment = smallExperiment(scheme, Phase::Training, 1, DType(dtype));
                    experiment.mlp = kind;
                    experiment.bias = bias;
                    const Plan plan = buildPlan(experiment);
                    const ValueSource source(4);
                    Executor executor(plan, groups);
                    executor.setInputs(shards(plan, source, 0));
                    Trace trace;
                    executor.run(trace);
                    const Reference reference(plan, source);
                    for (const TensorId id : plan.results) {
                        const Tensor &tensor = plan.tensor(id);
                        expect(at::equal(reference.unsharded(tensor.name, wholeOf(tensor)), executor.value(id)),
                               commandLine(experiment) + ": " + tensor.name);
                    }
                }
    }));
}

/// A rank whose weight has 17 bits instead of 24, as where products are made in a lesser format: every rank gets the
/// same wrong sum, well within what f32 is allowed at any size, and many times the error of one device.
void TestTensors::lostDigitsFailTheCheck()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        Experiment experiment = smallExperiment(Scheme::Row, Phase::Training, 2);
        experiment.ffn = 80; // of 96 inputs the scale is a power of two, and the weights have 16 bits anyway
        const Plan plan = buildPlan(experiment);
        const ValueSource source(1);
        NamedTensors inputs = shards(plan, source, groups.rank());
        if (groups.rank() == 1) {
            at::Tensor &w = inputs.at("W");
            const at::Tensor shifted = w * 129.0F; // Veltkamp's splitting: 2^7 + 1 takes 7 bits away
            w = shifted - (shifted - w);
        }
        Executor executor(plan, groups);
        executor.setInputs(inputs);
        Trace trace;
        executor.run(trace);
        for (const CheckEvent &check : checkResults(plan, executor, source, groups.world())) {
            const bool wrong = check.name == "Y" || check.name == "dX"; // what is computed from W
            expect(check.passed == !wrong,
                   check.name + ": " + std::to_string(check.relativeError / check.limit) + " of the limit");
            expect(check.relativeError < errorLimit(DType::F32), check.name + ": the limit of the dtype sees it too");
        }
    }));
}

void TestTensors::limits()
{
    QCOMPARE(errorLimit(DType::F32, 4e-7, 1), 3 * std::hypot(4e-7, 0.4 * 0x1p-24));
    QCOMPARE(errorLimit(DType::F32, 1e-5, 2), errorLimit(DType::F32)); // never more than the dtype allows
    // Sums of 16 addends in bf16 have three times the error of one rounding, and no fault.
    const double rounding = 0.4 * 0x1p-8;
    QVERIFY(errorLimit(DType::BF16, rounding, 16) > 3.5 * rounding);
    QVERIFY(errorLimit(DType::BF16, rounding, 2) < 2.0 / 3 * errorLimit(DType::BF16));
    QVERIFY(errorLimit(DType::F32, 0, 1) > 0); // an unsharded result without any error leaves room for one rounding
}

void TestTensors::memoryCountsEachStorageOnce()
{
    verify(inRanks(1, [](Communicator &, const Expect &expect) {
        const at::Tensor a = at::zeros({100}, at::kFloat);
        const at::Tensor b = at::zeros({50}, at::kFloat);
        MemoryCount count;
        count.hold(a);
        count.hold(a.view({10, 10}));
        count.touch();
        expect(count.peakBytes() == 400, "two views of one storage");
        count.hold(b);
        count.touch(1000);
        count.release(a);
        count.touch();
        expect(count.peakBytes() == 1600, "scratch counts");
        count.release(a);
        count.release(b);
        count.hold(b);
        count.touch(1500);
        expect(count.peakBytes() == 1700, "released storage is gone");
    }));
}

void TestTensors::timingCanBeSwitchedOff()
{
    verify(inRanks(1, [](Communicator &, const Expect &expect) {
        Stopwatch stopwatch;
        expect(stopwatch.ns(stopwatch.mark()) > 0, "running");
        stopwatch.setRunning(false);
        expect(stopwatch.mark() == Moment{} && stopwatch.ns(stopwatch.mark()) == 0, "off");
    }));
}

QTEST_GUILESS_MAIN(TestTensors)
#include "tst_tensors.moc"
