// SPDX-License-Identifier: MIT
// The executor on plans written by hand: what it does with axes, stages, overlap and state, apart from any scheme.
#include "tests/runtime/hand_written_plan.h"
#include "tests/runtime/rank_harness.h"
#include "tests/runtime/tensor_checks.h"

#include <QtTest>

using namespace shardscope;

namespace {

at::Tensor sumOverRanks(const std::string &name, const std::vector<std::int64_t> &shape, const std::vector<int> &ranks)
{
    at::Tensor sum = at::zeros(shape, at::kDouble);
    for (const int rank : ranks)
        sum += valueOf(name + " of " + std::to_string(rank), shape);
    return sum;
}

Layout cutAlong(MeshAxis axis, int dim)
{
    Layout layout;
    along(layout, axis) = Placement::shard(dim);
    return layout;
}

/// Two collectives along different axes beside computation, and one that is not overlapped behind them.
struct OverlapPlan {
    HandWrittenPlan plan{meshOf(2, 2, 1)};
    TensorId first, second, computed, third;

    explicit OverlapPlan(bool overlapped)
    {
        const TensorId a = plan.input("A", {40, 30});
        const TensorId b = plan.input("B", {40, 30});
        const TensorId c = plan.input("C", {40, 30});
        first = plan.collective(CollectiveOp::AllReduce, a, MeshAxis::Tp, overlapped);
        second = plan.collective(CollectiveOp::AllReduce, b, MeshAxis::Dp, overlapped);
        computed = plan.step(StepKind::Add, {c, c}, "2C");
        third = plan.collective(CollectiveOp::AllReduce, computed, MeshAxis::Tp);
        second = plan.step(StepKind::Add, {second, third}, "B + 2C");
        for (const TensorId kept : {first, second, third})
            plan.result(kept);
    }
};

} // namespace

class TestExecutor : public QObject
{
    Q_OBJECT

private slots:
    void slicesAlongItsAxis();
    void overlappedCollectivesKeepTheirOrder_data();
    void overlappedCollectivesKeepTheirOrder();
    void stepsGoOnBesideAnOverlappedCollective();
    void overlappedLeavesWhatOthersNeed();
    void adamStartsWhereItEnded();
    void sharedMemoryIsNotOverwritten();
    void repeatsEveryCollective();
};

void TestExecutor::slicesAlongItsAxis()
{
    verify(inRanks(4, [](Communicators &groups, const Expect &expect) {
        for (const MeshAxis axis : {MeshAxis::Tp, MeshAxis::Dp})
            for (const int dim : {0, 1}) {
                HandWrittenPlan plan(meshOf(2, 2, 1));
                const TensorId part = plan.result(plan.step(StepKind::Slice, {plan.input("X", {6, 4})}, "X"));
                plan.at(part).layout = cutAlong(axis, dim);
                Executor executor(plan.plan(), groups);
                const at::Tensor x = valueOf("X", {6, 4});
                executor.setInputs({{"X", x}});
                Trace trace;
                executor.run(trace);
                const int coordinate = plan.plan().mesh().coordinate(groups.rank(), axis);
                expect(at::equal(executor.value(part), x.chunk(2, dim)[std::size_t(coordinate)]),
                       std::string(axisName(axis)) + " " + std::to_string(dim));
            }
    }));
}

void TestExecutor::overlappedCollectivesKeepTheirOrder_data()
{
    QTest::addColumn<bool>("overlapped");
    QTest::newRow("one after the other") << false;
    QTest::newRow("overlapped") << true;
}

/// The same values either way; on a thread of their own they run one after the other, the blocking one behind them.
void TestExecutor::overlappedCollectivesKeepTheirOrder()
{
    QFETCH(bool, overlapped);
    verify(inRanks(4, [&](Communicators &groups, const Expect &expect) {
        const OverlapPlan made(overlapped);
        const Plan &plan = made.plan.plan();
        Executor executor(plan, groups);
        executor.setInputs(ownInputs(plan, groups.rank()));
        const std::vector<int> tp = plan.mesh().group(groups.rank(), MeshAxis::Tp);
        const std::vector<int> dp = plan.mesh().group(groups.rank(), MeshAxis::Dp);
        const at::Tensor third = sumOverRanks("C", {40, 30}, tp) * 2;
        for (int run = 0; run < 20; ++run) {
            Trace trace;
            executor.run(trace);
            expect(isClose(executor.value(made.first), sumOverRanks("A", {40, 30}, tp)), "first");
            expect(isClose(executor.value(made.third), third), "third");
            expect(isClose(executor.value(made.second), sumOverRanks("B", {40, 30}, dp) + third), "second");
            expect(trace.spans.size() == plan.steps.size(), "a span each");
            const auto span = [&](std::size_t step) { return trace.spans[step]; };
            for (std::size_t i = 0; i < trace.spans.size(); ++i)
                expect(span(i).step == int(i), "spans in the order of the steps");
            expect(span(0).endNs <= span(1).startNs && span(1).endNs <= span(3).startNs,
                   "collectives run one after the other");
        }
    }));
}

/// Rank 1, led by hand, joins the sum only when it has a message that rank 0 sends behind it.
void TestExecutor::stepsGoOnBesideAnOverlappedCollective()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        HandWrittenPlan plan(meshOf(1, 1, 2));
        const TensorId a = plan.input("A", {20}, {}, 0);
        const TensorId sum = plan.result(plan.collective(CollectiveOp::AllReduce, a, MeshAxis::Pp, true));
        plan.send(plan.input("B", {20}, {}, 0), 1);
        if (groups.rank() == 1) {
            at::Tensor arrived = at::empty({20}, at::kDouble);
            groups.world().receive(arrived, 0, plan.last().id)->wait();
            groups.world().allReduce(arrived, Algorithm::Library);
            return;
        }
        Executor executor(plan.plan(), groups);
        executor.setInputs(ownInputs(plan.plan(), 0));
        Trace trace;
        executor.run(trace);
        expect(isClose(executor.value(sum), valueOf("A of 0", {20}) + valueOf("B of 0", {20})), "sum");
    }));
}

/// An overlapped sum is made in place only where nobody else reads the addend.
void TestExecutor::overlappedLeavesWhatOthersNeed()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        HandWrittenPlan plan(meshOf(2, 1, 1));
        const TensorId x = plan.input("X", {300, 200});
        const TensorId y = plan.step(StepKind::Add, {x, x}, "Y");
        const TensorId sum = plan.result(plan.collective(CollectiveOp::AllReduce, y, MeshAxis::Tp, true));
        const TensorId twice = plan.result(plan.step(StepKind::Add, {y, y}, "2Y"));
        Executor executor(plan.plan(), groups);
        executor.setInputs(ownInputs(plan.plan(), groups.rank()));
        Trace trace;
        executor.run(trace);
        const std::string mine = "X of " + std::to_string(groups.rank());
        expect(isClose(executor.value(twice), valueOf(mine, {300, 200}) * 4), "own addend");
        expect(isClose(executor.value(sum), sumOverRanks("X", {300, 200}, {0, 1}) * 2), "sum");
    }));
}

/// Weights and states go on from iteration to iteration, the first step's correction included, in their own memory.
void TestExecutor::adamStartsWhereItEnded()
{
    verify(inRanks(1, [](Communicators &groups, const Expect &expect) {
        HandWrittenPlan plan(meshOf(1, 1, 1));
        const TensorId w = plan.input("W", {50});
        const TensorId dW = plan.input("dW", {50});
        const TensorId m = plan.input("m:W", {50});
        const TensorId v = plan.input("v:W", {50});
        plan.setPass(Pass::Optimizer);
        plan.step(StepKind::Adam, {w, dW, m, v}, "W", 3);
        Step &adam = plan.last();
        adam.factor = 1e-3;
        plan.at(adam.outputs[1]).name = "m:W";
        plan.at(adam.outputs[2]).name = "v:W";
        Executor executor(plan.plan(), groups);
        const at::Tensor before = valueOf("W", {50});
        const at::Tensor gradient = valueOf("dW", {50});
        NamedTensors inputs{{"W", before.clone()}, {"dW", gradient}};
        inputs["m:W"] = at::zeros({50}, at::kDouble);
        inputs["v:W"] = at::zeros({50}, at::kDouble);
        executor.setInputs(inputs);
        // With the same gradient every time, both corrected means are exact: each step has the length of the rate.
        const at::Tensor one = gradient / (gradient.abs() + 1e-8) * 1e-3;
        for (int n = 1; n <= 3; ++n) {
            Trace trace;
            executor.run(trace);
            expect(isClose(executor.value(w), before - one * n), "after " + std::to_string(n));
        }
        expect(executor.peakBytes() == 4 * 50 * 8, "in place");
        executor.setInputs({{"W", before.clone()},
                            {"dW", gradient},
                            {"m:W", at::zeros({50}, at::kDouble)},
                            {"v:W", at::zeros({50}, at::kDouble)}});
        Trace trace;
        executor.run(trace);
        expect(isClose(executor.value(w), before - one), "begun again");
    }));
}

/// Pad passes on what it gets, so the two tensors are one storage: the last use of one is not that of the other.
void TestExecutor::sharedMemoryIsNotOverwritten()
{
    verify(inRanks(1, [](Communicators &groups, const Expect &expect) {
        HandWrittenPlan plan(meshOf(1, 1, 1));
        const TensorId x = plan.input("X", {5});
        const TensorId y = plan.step(StepKind::Add, {x, x}, "Y");
        const TensorId padded = plan.step(StepKind::Pad, {y}, "Y");
        plan.step(StepKind::Add, {padded, x}, "Y + X"); // the padded one's last use
        const TensorId again = plan.result(plan.step(StepKind::Add, {y, x}, "Y + X"));
        Executor executor(plan.plan(), groups);
        const at::Tensor value = valueOf("X", {5});
        executor.setInputs({{"X", value}});
        Trace trace;
        executor.run(trace);
        expect(at::equal(executor.value(again), value * 2 + value), "overwritten");
    }));
}

void TestExecutor::repeatsEveryCollective()
{
    verify(inRanks(4, [](Communicators &groups, const Expect &expect) {
        HandWrittenPlan plan(meshOf(2, 1, 2));
        const TensorId x = plan.input("X", {8, 8}, {}, 0);
        const TensorId sum = plan.collective(CollectiveOp::AllReduce, x, MeshAxis::Tp);
        plan.result(plan.send(sum, 1));
        Executor executor(plan.plan(), groups);
        const int stage = plan.plan().mesh().coordinate(groups.rank(), MeshAxis::Pp);
        for (const Step &step : plan.plan().steps)
            for (int i = 0; i < 3; ++i) {
                const auto record = executor.repeatCollective(step);
                expect(record.has_value() == plan.plan().runs(step, groups.rank()), "who takes part");
                if (!record)
                    continue;
                expect(record->op == step.collective->op && groups.stopwatch().between(record->start, record->end) >= 0,
                       "record");
                expect(record->payloadBytes == 8 * 8 * 8, "bytes");
            }
        expect(plan.plan().runs(plan.plan().steps[0], groups.rank()) == (stage == 0), "stages");
    }));
}

QTEST_GUILESS_MAIN(TestExecutor)
#include "tst_executor.moc"
