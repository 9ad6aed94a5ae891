// SPDX-License-Identifier: MIT
// Tensors inside ranks: shards, the executor on integers bit for bit, the reference against autograd. All of it in
// forked ranks; the test itself stays without threads.
#include "tests/runtime/rank_harness.h"

#include "engine/plan/experiment_options.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/reference.h"
#include "engine/runtime/reference_check.h"
#include "engine/runtime/torch_types.h"
#include "engine/runtime/weights.h"

#include <QtTest>

using namespace shardscope;

namespace {

void verify(const std::vector<std::string> &problems)
{
    QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().c_str());
}

double relative(const at::Tensor &value, const at::Tensor &expected)
{
    return ((value.to(at::kDouble) - expected).norm() / expected.norm()).item<double>();
}

constexpr std::array kAlgorithms{Algorithm::Library, Algorithm::Ring, Algorithm::Tree, Algorithm::Direct,
                                 Algorithm::HalvingDoubling};

Experiment tinyExperiment(Scheme scheme, Phase phase, int ranks, DType dtype)
{
    Experiment experiment;
    experiment.scheme = scheme;
    experiment.phase = phase;
    experiment.mesh.setExtent(MeshAxis::Tp, ranks);
    experiment.hidden = 24;
    experiment.ffn = 48;
    experiment.batch = 2;
    experiment.sequence = 3;
    experiment.dtype = dtype;
    return experiment;
}

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
    void integersAreExact_data();
    void integersAreExact();
    void referenceAgainstAutograd_data();
    void referenceAgainstAutograd();
    void referenceInBlocksAndShares();
    void nanFailsTheCheck();
    void ranksThatDisagreeFailTheCheck();
    void memoryCountsEachStorageOnce();
    void timingCanBeSwitchedOff();
};

void TestTensors::shardsArePartsOfTheWhole()
{
    verify(inRanks(1, [](Communicator &, const Expect &expect) {
        for (const int ranks : {1, 2, 3, 4}) {
            const Plan plan = buildPlan(tinyExperiment(Scheme::Mlp, Phase::Training, ranks, DType::BF16));
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
    verify(inRanks(ranks, [](Communicator &communicator, const Expect &expect) {
        for (const Scheme scheme : {Scheme::Column, Scheme::Row})
            for (const DType dtype : {DType::F32, DType::F64, DType::BF16})
                for (const Algorithm algorithm : kAlgorithms)
                    for (const bool other : {false, true}) {
                        Experiment experiment = tinyExperiment(scheme, Phase::Training, communicator.size(), dtype);
                        experiment.algorithm = algorithm;
                        experiment.gatherOutput = other && scheme == Scheme::Column;
                        experiment.inputParallel = !(other && scheme == Scheme::Row);
                        if (validate(experiment))
                            continue;
                        const Plan plan = buildPlan(experiment);
                        const ValueSource source(1, Values::Integers);
                        Executor executor(plan, communicator);
                        executor.setInputs(shards(plan, source, communicator.rank()));
                        Trace trace;
                        executor.run(trace);
                        for (const CheckEvent &check : checkResults(plan, executor, source, communicator))
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
        Experiment experiment = tinyExperiment(Scheme(scheme), Phase::Training, 1, DType::F64);
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
        Experiment experiment = tinyExperiment(Scheme::Row, Phase::Training, 1, DType::F32);
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
            expect(relative(reference->expected("Y", {{0, 6}, {0, 2500}}), y) < 1e-13, "Y");
            expect(relative(reference->expected("dX", {{0, 6}, {0, 2000}}), dX) < 1e-13, "dX");
            const Region part{{10, 20}, {100, 300}};
            const at::Tensor dW = at::mm(asF64("X").t(), asF64("dY"));
            expect(relative(reference->expected("dW", part), dW.narrow(0, 10, 20).narrow(1, 100, 300)) < 1e-13, "dW");
        }
        expect(w.shape[0].size == 2000, "W is [in, out]");
    }));
}

void TestTensors::nanFailsTheCheck()
{
    verify(inRanks(2, [](Communicator &communicator, const Expect &expect) {
        const Plan plan = buildPlan(tinyExperiment(Scheme::Column, Phase::Training, 2, DType::F32));
        const ValueSource source(1);
        NamedTensors inputs = shards(plan, source, communicator.rank());
        if (communicator.rank() == 1) // one element of one rank's weight
            inputs.at("W").view(-1)[3] = std::numeric_limits<float>::quiet_NaN();
        Executor executor(plan, communicator);
        executor.setInputs(inputs);
        Trace trace;
        executor.run(trace);
        for (const CheckEvent &check : checkResults(plan, executor, source, communicator))
            if (check.name == "Y" || check.name == "dX") // every rank must hear of it
                expect(!check.passed && check.relativeError == -1, check.name);
    }));
}

void TestTensors::ranksThatDisagreeFailTheCheck()
{
    verify(inRanks(2, [](Communicator &communicator, const Expect &expect) {
        const Plan plan = buildPlan(tinyExperiment(Scheme::Row, Phase::Prefill, 2, DType::F32));
        const ValueSource source(1);
        Executor executor(plan, communicator);
        executor.setInputs(shards(plan, source, communicator.rank()));
        Trace trace;
        executor.run(trace);
        at::Tensor y = executor.value(plan.results.front());
        if (communicator.rank() == 1)
            y[0][0].add_(1e-6F); // far below the limit of the reference, yet not the same bits
        for (const CheckEvent &check : checkResults(plan, executor, source, communicator))
            expect(check.passed == (check.name == "Y"), check.name);
    }));
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
        expect(stopwatch.now() > 0, "running");
        stopwatch.setRunning(false);
        expect(stopwatch.now() == 0, "off");
    }));
}

QTEST_GUILESS_MAIN(TestTensors)
#include "tst_tensors.moc"
