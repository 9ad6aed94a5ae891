// SPDX-License-Identifier: MIT
// Tensors inside ranks: collectives against sums made by hand, the executor on integers bit for bit, the reference
// against autograd. All of it in forked ranks; the test itself stays without threads.
#include "tests/runtime/rank_harness.h"

#include "engine/plan/experiment_options.h"
#include "engine/plan/hop_schedule.h"
#include "engine/plan/traffic.h"
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

/// A different tensor on every rank, the same in every process that asks.
at::Tensor addendOf(int rank, std::int64_t elements, at::ScalarType type)
{
    at::Tensor floats = at::empty({elements}, at::kFloat);
    ValueSource(7).fill(floats.data_ptr<float>(), elements, "rank " + std::to_string(rank), 0, 1.0F);
    return floats.to(type);
}

at::Tensor sumByHand(int ranks, std::int64_t elements, at::ScalarType type)
{
    at::Tensor sum = at::zeros({elements}, at::kDouble);
    for (int rank = 0; rank < ranks; ++rank)
        sum.add_(addendOf(rank, elements, type));
    return sum;
}

double relative(const at::Tensor &value, const at::Tensor &expected)
{
    return ((value.to(at::kDouble) - expected).norm() / expected.norm()).item<double>();
}

/// The same bits on every rank.
bool agree(Communicator &communicator, const at::Tensor &tensor)
{
    const at::Tensor mine = tensor.contiguous().view(-1);
    at::Tensor all;
    communicator.allGather(mine, all, 0, Algorithm::Library);
    for (int rank = 0; rank < communicator.size(); ++rank)
        if (!at::equal(all.narrow(0, rank * mine.numel(), mine.numel()), mine))
            return false;
    return true;
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
    void allReduceOfEveryAlgorithm_data();
    void allReduceOfEveryAlgorithm();
    void unevenAndEmptyChunks();
    void directSumsInRankOrder();
    void allGatherAlongEachDimension();
    void reduceScatterAlongEachDimension();
    void countsWhatItSends();
    void unequalSlicesAreRefused();
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

void TestTensors::allReduceOfEveryAlgorithm_data()
{
    QTest::addColumn<int>("ranks");
    for (const int ranks : {1, 2, 3, 4, 5})
        QTest::addRow("N = %d", ranks) << ranks;
}

void TestTensors::allReduceOfEveryAlgorithm()
{
    QFETCH(int, ranks);
    verify(inRanks(ranks, [](Communicator &communicator, const Expect &expect) {
        for (const Algorithm algorithm : kAlgorithms)
            for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
                if (algorithm != Algorithm::Library &&
                    algorithmProblem(CollectiveOp::AllReduce, algorithm, communicator.size()))
                    continue;
                at::Tensor tensor = addendOf(communicator.rank(), 1000, type);
                const CollectiveRecord record = communicator.allReduce(tensor, algorithm);
                const at::Tensor expected = sumByHand(communicator.size(), 1000, type);
                const double limit = type == at::kBFloat16 ? 1e-2 : type == at::kHalf ? 2e-3 : 1e-6;
                const std::string what = std::string(name(algorithm)) + " " + c10::toString(type);
                expect(relative(tensor, expected) < limit, what + ": wrong sum");
                expect(agree(communicator, tensor), what + ": ranks differ");
                expect(record.startNs <= record.endNs, what + ": times");
            }
    }));
}

void TestTensors::unevenAndEmptyChunks()
{
    for (const int ranks : {3, 4})
        verify(inRanks(ranks, [](Communicator &communicator, const Expect &expect) {
            for (const Algorithm algorithm : kAlgorithms)
                for (const std::int64_t elements : {1, 2, 3, 5, 7, 1001}) {
                    if (algorithm != Algorithm::Library &&
                        algorithmProblem(CollectiveOp::AllReduce, algorithm, communicator.size()))
                        continue;
                    at::Tensor tensor = addendOf(communicator.rank(), elements, at::kDouble);
                    communicator.allReduce(tensor, algorithm);
                    expect(relative(tensor, sumByHand(communicator.size(), elements, at::kDouble)) < 1e-14,
                           std::string(name(algorithm)) + " of " + std::to_string(elements));
                }
        }));
}

void TestTensors::directSumsInRankOrder()
{
    verify(inRanks(4, [](Communicator &communicator, const Expect &expect) {
        at::Tensor tensor = addendOf(communicator.rank(), 999, at::kFloat);
        communicator.allReduce(tensor, Algorithm::Direct);
        at::Tensor ordered = addendOf(0, 999, at::kFloat);
        for (int rank = 1; rank < 4; ++rank)
            ordered.add_(addendOf(rank, 999, at::kFloat));
        expect(at::equal(tensor, ordered), "not the bits of ((a0 + a1) + a2) + a3");
    }));
}

void TestTensors::allGatherAlongEachDimension()
{
    verify(inRanks(3, [](Communicator &communicator, const Expect &expect) {
        for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble})
            for (const Algorithm algorithm : {Algorithm::Library, Algorithm::Ring, Algorithm::Direct})
                for (const int dim : {0, 1}) {
                    std::vector<at::Tensor> parts;
                    for (int rank = 0; rank < 3; ++rank)
                        parts.push_back(addendOf(rank, 4 * 6, type).view({4, 6}));
                    at::Tensor whole;
                    communicator.allGather(parts[std::size_t(communicator.rank())], whole, dim, algorithm);
                    expect(at::equal(whole, at::cat(parts, dim)),
                           std::string(name(algorithm)) + " along " + std::to_string(dim) + " " + c10::toString(type));
                }
    }));
}

void TestTensors::reduceScatterAlongEachDimension()
{
    verify(inRanks(3, [](Communicator &communicator, const Expect &expect) {
        for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
            for (const Algorithm algorithm : {Algorithm::Library, Algorithm::Ring, Algorithm::Direct})
                for (const int dim : {0, 1}) {
                    const at::Tensor addend = addendOf(communicator.rank(), 6 * 9, type).view({6, 9});
                    const at::Tensor before = addend.clone();
                    at::Tensor shard;
                    communicator.reduceScatter(addend, shard, dim, algorithm);
                    const std::int64_t width = addend.size(dim) / 3;
                    const at::Tensor expected =
                        sumByHand(3, 6 * 9, type).view({6, 9}).narrow(dim, communicator.rank() * width, width);
                    const std::string what = std::string(name(algorithm)) + " along " + std::to_string(dim);
                    expect(relative(shard, expected) < (type == at::kFloat ? 1e-6 : 1e-2), what);
                    expect(at::equal(addend, before), what + " changed its input");
                }
    }));
}

void TestTensors::countsWhatItSends()
{
    verify(inRanks(4, [](Communicator &communicator, const Expect &expect) {
        at::Tensor tensor = at::zeros({1 << 10}, at::kFloat);
        const std::int64_t bytes = 4 << 10;
        const auto ring = communicator.allReduce(tensor, Algorithm::Ring);
        expect(ring.payloadBytes == bytes && ring.sentBytes == bytes * 3 / 2 && ring.hops.size() == 6, "ring");
        const auto direct = communicator.allReduce(tensor, Algorithm::Direct);
        expect(direct.sentBytes == bytes * 3 && direct.hops.size() == 1, "direct");
        const auto halving = communicator.allReduce(tensor, Algorithm::HalvingDoubling);
        expect(halving.sentBytes == bytes * 3 / 2 && halving.hops.size() == 4, "halving-doubling");
        const auto tree = communicator.allReduce(tensor, Algorithm::Tree);
        const auto all = communicator.gather({tree.sentBytes});
        expect(*std::max_element(all.begin(), all.end()) == bytes * 2, "tree");
        const auto library = communicator.allReduce(tensor, Algorithm::Library);
        expect(library.sentBytes == bytes * 3 / 2 && library.hops.empty() && library.scratchBytes == 0, "library");
        at::Tensor narrow = at::zeros({1 << 10}, at::kBFloat16);
        const auto widened = communicator.allReduce(narrow, Algorithm::Library);
        expect(widened.wireDtype == DType::F32 && widened.payloadBytes == bytes / 2, "bf16 travels as f32");
        expect(widened.sentBytes == bytes * 3 / 2 && widened.scratchBytes == bytes, "bf16 counts what travels");
        at::Tensor whole;
        const auto gather = communicator.allGather(tensor, whole, 0, Algorithm::Library);
        expect(gather.payloadBytes == 4 * bytes && gather.sentBytes == 3 * bytes, "all-gather");
    }));
}

void TestTensors::unequalSlicesAreRefused()
{
    verify(inRanks(2, [](Communicator &communicator, const Expect &expect) {
        at::Tensor shard;
        try {
            communicator.reduceScatter(at::zeros({3, 2}), shard, 0, Algorithm::Library);
            expect(false, "three rows went to two ranks");
        } catch (const std::invalid_argument &) {
        }
    }));
}

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
