// SPDX-License-Identifier: MIT
// Collectives in groups of ranks along the axes of a mesh, and of several tensors in one message, against sums and
// joins made by hand.
#include "tests/runtime/rank_harness.h"
#include "tests/runtime/tensor_checks.h"

#include "engine/plan/hop_schedule.h"
#include "engine/runtime/baseline.h"
#include "engine/runtime/collective_transfer.h"
#include "engine/runtime/torch_types.h"
#include "engine/runtime/value_source.h"

#include <QtTest>

using namespace shardscope;

namespace {

using Tensors = std::vector<at::Tensor>;

/// A different tensor on every rank of the world, the same in every process that asks.
at::Tensor heldBy(int rank, const std::string &name, std::initializer_list<std::int64_t> shape,
                  at::ScalarType type = at::kDouble)
{
    at::Tensor floats = at::empty(shape, at::kFloat);
    ValueSource(7).fill(floats.data_ptr<float>(), floats.numel(), name + std::to_string(rank), 0, 1.0F);
    return floats.to(type);
}

Tensors heldByAll(const std::vector<int> &ranks, const std::string &name, std::initializer_list<std::int64_t> shape)
{
    Tensors all;
    for (const int rank : ranks)
        all.push_back(heldBy(rank, name, shape));
    return all;
}

at::Tensor sumOf(const Tensors &addends)
{
    return at::stack(addends).sum(0);
}

bool isClose(const at::Tensor &value, const at::Tensor &expected)
{
    return value.sizes() == expected.sizes() && at::allclose(value, expected, 1e-13, 1e-13);
}

Collective collectiveOf(CollectiveOp op, MeshAxis axis, Algorithm algorithm = Algorithm::Library)
{
    Collective collective;
    collective.op = op;
    collective.axis = axis;
    collective.algorithm = algorithm;
    return collective;
}

Mesh meshOf(int tp, int dp, int pp)
{
    return Mesh{{tp, dp, pp}};
}

/// Runs it in the group of `ranks` that `communicator` is.
void tryEveryOp(const std::vector<int> &ranks, Communicator &communicator, int rank, MeshAxis axis,
                const Expect &expect)
{
    const auto n = std::int64_t(ranks.size());
    const std::string where = std::string(axisName(axis)) + " of " + std::to_string(n) + ": ";
    expect(communicator.size() == int(n) && ranks[std::size_t(communicator.rank())] == rank, where + "wrong group");
    const Tensors all = heldByAll(ranks, "x", {4 * n, 6});
    const auto mine = [&] { return heldBy(rank, "x", {4 * n, 6}); };
    Tensors made;
    Collective collective = collectiveOf(CollectiveOp::AllReduce, axis);
    runCollective(collective, communicator, {mine()}, made);
    expect(isClose(made[0], sumOf(all)), where + "sum");
    collective.reduce = ReduceOp::Max;
    made.clear();
    runCollective(collective, communicator, {mine()}, made);
    expect(at::equal(made[0], at::amax(at::stack(all), {0})), where + "maximum");
    collective.reduce = ReduceOp::Sum;
    collective.average = true;
    made.clear();
    runCollective(collective, communicator, {mine()}, made);
    expect(isClose(made[0], sumOf(all) / n), where + "average");
    made.clear();
    runCollective(collectiveOf(CollectiveOp::AllGather, axis), communicator, {mine()}, made);
    expect(at::equal(made[0], at::cat(all, 0)), where + "join");
    made.clear();
    runCollective(collectiveOf(CollectiveOp::ReduceScatter, axis), communicator, {mine()}, made);
    expect(isClose(made[0], sumOf(all).narrow(0, 4 * communicator.rank(), 4)), where + "sum cut");
    made.clear();
    const auto reduced = runCollective(collectiveOf(CollectiveOp::Reduce, axis), communicator, {mine()}, made);
    expect(communicator.rank() > 0 || isClose(made[0], sumOf(all)), where + "sum on one rank");
    made.clear();
    const auto spread = runCollective(collectiveOf(CollectiveOp::Broadcast, axis), communicator, {mine()}, made);
    expect(at::equal(made[0], all[0]), where + "broadcast");
    const std::int64_t whole = 4 * n * 6 * 8;
    expect(reduced.payloadBytes == whole && reduced.sentBytes == (n == 1 || communicator.rank() == 0 ? 0 : whole),
           where + "bytes of the reduce");
    expect(spread.payloadBytes == whole && spread.sentBytes == (n == 1 || communicator.rank() == n - 1 ? 0 : whole),
           where + "bytes of the broadcast");
}

} // namespace

class TestGroups : public QObject
{
    Q_OBJECT

private slots:
    void everyOpOfEveryGroup_data();
    void everyOpOfEveryGroup();
    void groupsAreKept();
    void replicasAreNeighbours();
    void maximumOfEveryAlgorithm();
    void narrowTypesTravel();
    void severalTensorsInOneMessage_data();
    void severalTensorsInOneMessage();
    void baselineOfEachGroup();
};

void TestGroups::everyOpOfEveryGroup_data()
{
    QTest::addColumn<int>("tp");
    QTest::addColumn<int>("dp");
    QTest::addColumn<int>("pp");
    QTest::newRow("alone") << 1 << 1 << 1;
    QTest::newRow("2") << 2 << 1 << 1;
    QTest::newRow("3 along dp") << 1 << 3 << 1;
    QTest::newRow("4 along pp") << 1 << 1 << 4;
    QTest::newRow("2 x 2") << 2 << 2 << 1;
    QTest::newRow("2 x 1 x 2") << 2 << 1 << 2;
}

void TestGroups::everyOpOfEveryGroup()
{
    QFETCH(int, tp);
    QFETCH(int, dp);
    QFETCH(int, pp);
    const Mesh mesh = meshOf(tp, dp, pp);
    verify(inRanks(mesh.size(), [&mesh](Communicators &groups, const Expect &expect) {
        for (const MeshAxis axis : kMeshAxes)
            tryEveryOp(mesh.group(groups.rank(), axis), groups.along(mesh, axis), groups.rank(), axis, expect);
    }));
}

/// A second mesh with the same neighbours meets in the same group; the whole world needs none of its own.
void TestGroups::groupsAreKept()
{
    verify(inRanks(4, [](Communicators &groups, const Expect &expect) {
        Communicator &pairs = groups.along(meshOf(2, 2, 1), MeshAxis::Tp);
        expect(&pairs == &groups.along(meshOf(2, 1, 2), MeshAxis::Tp), "the same neighbours");
        expect(&pairs != &groups.along(meshOf(2, 2, 1), MeshAxis::Dp), "other neighbours");
        expect(&groups.along(meshOf(1, 1, 4), MeshAxis::Pp) == &groups.world(), "the whole world");
    }));
}

void TestGroups::replicasAreNeighbours()
{
    verify(inRanks(4, [](Communicators &groups, const Expect &expect) {
        const Mesh mesh = meshOf(4, 1, 1);
        Communicator &pair = groups.along(mesh, MeshAxis::Tp, 2);
        tryEveryOp(mesh.group(groups.rank(), MeshAxis::Tp, 2), pair, groups.rank(), MeshAxis::Tp, expect);
    }));
}

void TestGroups::maximumOfEveryAlgorithm()
{
    verify(inRanks(4, [](Communicator &communicator, const Expect &expect) {
        for (const Algorithm algorithm : kAlgorithms) {
            at::Tensor largest = heldBy(communicator.rank(), "x", {101}, at::kFloat);
            communicator.allReduce(largest, algorithm, ReduceOp::Max);
            Tensors all;
            for (int rank = 0; rank < 4; ++rank)
                all.push_back(heldBy(rank, "x", {101}, at::kFloat));
            expect(at::equal(largest, at::amax(at::stack(all), {0})), std::string(name(algorithm)));
        }
    }));
}

void TestGroups::narrowTypesTravel()
{
    verify(inRanks(3, [](Communicator &communicator, const Expect &expect) {
        for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
            const std::string what = c10::toString(type);
            at::Tensor sum = heldBy(communicator.rank(), "x", {60}, type);
            const auto record = communicator.reduce(sum, Algorithm::Library);
            at::Tensor exact = at::zeros({60}, at::kDouble);
            for (int rank = 0; rank < 3; ++rank)
                exact += heldBy(rank, "x", {60}, type);
            expect(communicator.rank() > 0 || relative(sum, exact) < 5e-3, what + ": sum");
            expect(record.payloadBytes == 120, what + ": bytes");
            at::Tensor spread = heldBy(communicator.rank(), "x", {60}, type);
            communicator.broadcast(spread, Algorithm::Library);
            expect(at::equal(spread, heldBy(0, "x", {60}, type)), what + ": broadcast");
        }
    }));
}

void TestGroups::severalTensorsInOneMessage_data()
{
    QTest::addColumn<int>("algorithm");
    QTest::newRow("library") << int(Algorithm::Library);
    QTest::newRow("ring") << int(Algorithm::Ring);
}

/// Each tensor comes back whole along its own dimension, from one collective.
void TestGroups::severalTensorsInOneMessage()
{
    QFETCH(int, algorithm);
    verify(inRanks(3, [&](Communicator &communicator, const Expect &expect) {
        const std::vector<int> ranks{0, 1, 2};
        const auto mine = [&](const std::string &name, std::initializer_list<std::int64_t> shape) {
            return heldBy(communicator.rank(), name, shape);
        };
        const std::int64_t elements = 6 * 9 + 3 + 3 * 12;
        for (const int dim : {0, 1}) {
            Collective gather = collectiveOf(CollectiveOp::AllGather, MeshAxis::Dp, Algorithm(algorithm));
            gather.gatherDim = dim;
            Tensors wholes;
            const auto record = runCollective(gather, communicator, {mine("a", {6, 9}), mine("c", {3, 12})}, wholes);
            expect(at::equal(wholes[0], at::cat(heldByAll(ranks, "a", {6, 9}), dim)), "join of the first");
            expect(at::equal(wholes[1], at::cat(heldByAll(ranks, "c", {3, 12}), dim)), "join of the second");
            expect(record.payloadBytes == 3 * (6 * 9 + 3 * 12) * 8, "one message");

            Collective scatter = collectiveOf(CollectiveOp::ReduceScatter, MeshAxis::Dp, Algorithm(algorithm));
            scatter.gatherDim = dim;
            Tensors shards;
            runCollective(scatter, communicator, {mine("a", {6, 9}), mine("c", {3, 12})}, shards);
            const auto own = [&](const at::Tensor &sum) {
                const std::int64_t width = sum.size(dim) / 3;
                return sum.narrow(dim, communicator.rank() * width, width);
            };
            expect(isClose(shards[0], own(sumOf(heldByAll(ranks, "a", {6, 9})))), "cut of the first");
            expect(isClose(shards[1], own(sumOf(heldByAll(ranks, "c", {3, 12})))), "cut of the second");
            expect(shards[0].is_contiguous() && shards[1].is_contiguous(), "rows behind each other");
        }
        Tensors sums;
        const Tensors addends{mine("a", {6, 9}), mine("b", {3}), mine("c", {3, 12})};
        const auto record = runCollective(collectiveOf(CollectiveOp::AllReduce, MeshAxis::Dp, Algorithm(algorithm)),
                                          communicator, addends, sums);
        expect(isClose(sums[0], sumOf(heldByAll(ranks, "a", {6, 9}))), "first sum");
        expect(isClose(sums[1], sumOf(heldByAll(ranks, "b", {3}))), "second sum");
        expect(isClose(sums[2], sumOf(heldByAll(ranks, "c", {3, 12}))), "third sum");
        expect(at::equal(addends[0], mine("a", {6, 9})), "the addends stay");
        expect(record.payloadBytes == elements * 8, "one message of all");
    }));
}

/// Two groups of two: transfer is the fastest rank's within a group, and the slower group counts.
void TestGroups::baselineOfEachGroup()
{
    Plan plan;
    plan.experiment.mesh = meshOf(2, 2, 1);
    Step step;
    step.kind = StepKind::Collective;
    step.collective = collectiveOf(CollectiveOp::AllReduce, MeshAxis::Tp);
    plan.steps = {step};
    // Two repetitions of ranks 0, 1 | 2, 3.
    const BaselineEvent event = baselineOf(plan, step, {10, 20, 12, 21, 40, 25, 30, 22});
    QCOMPARE(event.transferNs, (std::vector<std::int64_t>{30, 22}));
    QCOMPARE(event.waitNs, (std::vector<std::int64_t>{10, 3}));
}

QTEST_GUILESS_MAIN(TestGroups)
#include "tst_groups.moc"
