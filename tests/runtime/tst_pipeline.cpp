// SPDX-License-Identifier: MIT
// Stages and the messages between them, on plans written by hand.
#include "tests/runtime/hand_written_plan.h"
#include "tests/runtime/rank_harness.h"
#include "tests/runtime/tensor_checks.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace shardscope;

namespace {

/// Two micro-batches through every stage and back, adding the stage's own tensor each way: 1F1B's order of steps.
HandWrittenPlan pipelinePlan(int stages, int microBatches)
{
    HandWrittenPlan plan(meshOf(1, 1, stages));
    std::vector<TensorId> weights;
    for (int stage = 0; stage < stages; ++stage)
        weights.push_back(plan.input("W" + std::to_string(stage), {6, 4}, {}, stage));
    std::vector<TensorId> moving;
    for (int j = 0; j < microBatches; ++j)
        moving.push_back(plan.input("X#" + std::to_string(j), {6, 4}, {}, 0));
    const auto visit = [&](int j, int stage) {
        plan.setMicroBatch(j);
        auto &x = moving[std::size_t(j)];
        if (plan.at(x).stage != stage)
            x = plan.send(x, stage);
        x = plan.step(StepKind::Add, {x, weights[std::size_t(stage)]}, "Y#" + std::to_string(j));
    };
    for (int j = 0; j < microBatches; ++j)
        for (int stage = 0; stage < stages; ++stage)
            visit(j, stage);
    plan.setPass(Pass::Backward);
    for (int j = 0; j < microBatches; ++j)
        for (int stage = stages - 1; stage >= 0; --stage)
            visit(j, stage);
    for (const TensorId x : moving)
        plan.result(x);
    return plan;
}

} // namespace

class TestPipeline : public QObject
{
    Q_OBJECT

private slots:
    void messagesThroughEveryStage_data();
    void messagesThroughEveryStage();
    void anotherOrderOfMicroBatchesMeetsToo();
    void stagesHoldTheirOwn();
    void padCountsFromTheArrival();
};

void TestPipeline::messagesThroughEveryStage_data()
{
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("microBatches");
    QTest::newRow("2 stages") << 2 << 3;
    QTest::newRow("4 stages, 2 micro-batches") << 4 << 2;
    QTest::newRow("4 stages, 9 micro-batches") << 4 << 9;
}

void TestPipeline::messagesThroughEveryStage()
{
    QFETCH(int, stages);
    QFETCH(int, microBatches);
    verify(inRanks(stages, [&](Communicators &groups, const Expect &expect) {
        const HandWrittenPlan made = pipelinePlan(stages, microBatches);
        const Plan &plan = made.plan();
        Executor executor(plan, groups);
        executor.setInputs(ownInputs(plan, groups.rank()));
        at::Tensor weights = at::zeros({6, 4}, at::kDouble);
        for (int stage = 0; stage < stages; ++stage)
            weights += valueOf("W" + std::to_string(stage) + " of " + std::to_string(stage), {6, 4});
        const std::int64_t bytes = 6 * 4 * 8;
        for (int run = 0; run < 3; ++run) {
            Trace trace;
            executor.run(trace);
            for (int j = 0; groups.rank() == 0 && j < microBatches; ++j)
                expect(isClose(executor.value(plan.results[std::size_t(j)]),
                               valueOf("X#" + std::to_string(j) + " of 0", {6, 4}) + weights * 2),
                       "micro-batch " + std::to_string(j));
            std::set<int> steps;
            for (const SpanEvent &span : trace.spans) {
                const Step &step = plan.steps[std::size_t(span.step)];
                expect(plan.runs(step, groups.rank()) && steps.insert(span.step).second, "a span of another's step");
                if (step.collective) {
                    const bool sends = step.stage == groups.rank();
                    expect(span.op == "send_recv" && span.payloadBytes == bytes, "message");
                    expect(span.sentBytes == (sends ? bytes : 0), "sender's bytes");
                }
            }
            const auto mine = std::count_if(plan.steps.begin(), plan.steps.end(),
                                            [&](const Step &step) { return plan.runs(step, groups.rank()); });
            expect(std::int64_t(trace.spans.size()) == mine, "a span each");
        }
    }));
}

/// Stage 1 takes the second micro-batch first: what arrives meanwhile waits for the step that needs it.
void TestPipeline::anotherOrderOfMicroBatchesMeetsToo()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        HandWrittenPlan plan(meshOf(1, 1, 2));
        const TensorId a = plan.send(plan.input("A", {500, 300}, {}, 0), 1);
        const TensorId b = plan.send(plan.input("B", {500, 300}, {}, 0), 1);
        const TensorId fromB = plan.send(plan.step(StepKind::Add, {b, b}, "2B"), 0);
        const TensorId fromA = plan.send(plan.step(StepKind::Add, {a, a}, "2A"), 0);
        plan.result(fromA);
        plan.result(fromB);
        Executor executor(plan.plan(), groups);
        executor.setInputs(ownInputs(plan.plan(), groups.rank()));
        Trace trace;
        executor.run(trace);
        if (groups.rank() == 1)
            return;
        expect(at::equal(executor.value(fromA), valueOf("A of 0", {500, 300}) * 2), "A");
        expect(at::equal(executor.value(fromB), valueOf("B of 0", {500, 300}) * 2), "B");
    }));
}

void TestPipeline::stagesHoldTheirOwn()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        HandWrittenPlan plan(meshOf(1, 1, 2));
        plan.input("W0", {100, 100}, {}, 0);
        const TensorId w1 = plan.input("W1", {10, 10}, {}, 1);
        const TensorId doubled = plan.result(plan.step(StepKind::Add, {w1, w1}, "2W1"));
        Executor executor(plan.plan(), groups);
        executor.setInputs(ownInputs(plan.plan(), groups.rank()));
        Trace trace;
        executor.run(trace);
        expect(trace.spans.size() == (groups.rank() == 1 ? 1 : 0), "only stage 1 has a step");
        expect(executor.value(doubled).defined() == (groups.rank() == 1), "only stage 1 has a result");
        expect(groups.rank() == 0 || executor.peakBytes() == 2 * 10 * 10 * 8, "stage 1 holds nothing of stage 0");
    }));
}

/// What a stage waits for is not part of its time at the micro-batch.
void TestPipeline::padCountsFromTheArrival()
{
    verify(inRanks(2, [](Communicators &groups, const Expect &expect) {
        HandWrittenPlan plan(meshOf(1, 1, 2));
        const auto padded = [&](TensorId x) {
            const TensorId made = plan.step(StepKind::Pad, {plan.step(StepKind::Add, {x, x}, "Y")}, "Y");
            plan.last().padMs = 15;
            return made;
        };
        plan.result(padded(plan.send(padded(plan.input("X", {5}, {}, 0)), 1)));
        Executor executor(plan.plan(), groups);
        executor.setInputs(ownInputs(plan.plan(), groups.rank()));
        Trace trace;
        executor.run(trace);
        const auto &spans = trace.spans; // stage 0: add, pad, send; stage 1: receive, add, pad
        const std::size_t add = groups.rank() == 0 ? 0 : 1;
        expect(spans[add + 1].endNs - spans[add].startNs >= 15'000'000, "shorter than the pad");
    }));
}

QTEST_GUILESS_MAIN(TestPipeline)
#include "tst_pipeline.moc"
