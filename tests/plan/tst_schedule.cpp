// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"
#include "engine/plan/plan.h"
#include "engine/plan/schedule.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace shardscope;

namespace {

/// What stage `stage` does, in order: "F1 F2 B1 F3 B2 B3".
QString orderOf(const std::vector<StageWork> &order, int stage)
{
    QStringList words;
    for (const StageWork &work : order) {
        if (work.stage == stage)
            words << QString("%1%2").arg(work.backward ? "B" : "F").arg(work.microBatch + 1);
    }
    return words.join(' ');
}

/// The most micro-batches that have gone forward on a stage and not yet back.
int inFlight(const std::vector<StageWork> &order, int stage)
{
    int now = 0;
    int most = 0;
    for (const StageWork &work : order) {
        if (work.stage != stage)
            continue;
        now += work.backward ? -1 : 1;
        most = std::max(most, now);
    }
    return most;
}

} // namespace

class TestSchedule : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void knownOrders();
    void everythingOnceAndNothingTooEarly();
    void microBatchesInFlight();
    void theTimetableLeavesTheKnownBubble();
    void gradientsHoldUpNoStage();
};

/// Forward 1, backward 2: each stage works 3 m units of the 3 (m + p - 1) that all take, in both schedules.
void TestSchedule::theTimetableLeavesTheKnownBubble()
{
    for (const Schedule schedule : {Schedule::OneFOneB, Schedule::GPipe}) {
        for (const auto &[stages, microBatches] : {std::pair(4, 8), std::pair(2, 1), std::pair(8, 3)}) {
            int length = 0;
            std::vector<int> busyUntil(static_cast<std::size_t>(stages), 0);
            std::vector<int> worked(static_cast<std::size_t>(stages), 0);
            for (const ScheduledWork &each : pipelineTimetable(schedule, stages, microBatches, true)) {
                const auto stage = static_cast<std::size_t>(each.work.stage);
                QVERIFY(each.begin >= busyUntil[stage]);
                QCOMPARE(each.end - each.begin, each.work.backward ? 2 : 1);
                busyUntil[stage] = each.end;
                worked[stage] += each.end - each.begin;
                length = std::max(length, each.end);
            }
            QCOMPARE(length, 3 * (microBatches + stages - 1));
            for (const int units : worked)
                QCOMPARE(units, 3 * microBatches);
        }
    }
}

void TestSchedule::knownOrders()
{
    const auto oneFOneB = pipelineOrder(Schedule::OneFOneB, 4, 8, true);
    QCOMPARE(orderOf(oneFOneB, 0), "F1 F2 F3 F4 B1 F5 B2 F6 B3 F7 B4 F8 B5 B6 B7 B8"); // Narayanan 2021, figure 4
    QCOMPARE(orderOf(oneFOneB, 3), "F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7 F8 B8");
    const auto gpipe = pipelineOrder(Schedule::GPipe, 4, 3, true);
    for (int stage = 0; stage < 4; ++stage)
        QCOMPARE(orderOf(gpipe, stage), "F1 F2 F3 B3 B2 B1");
    QCOMPARE(orderOf(pipelineOrder(Schedule::GPipe, 1, 3, true), 0), "F1 B1 F2 B2 F3 B3");
    QCOMPARE(orderOf(pipelineOrder(Schedule::OneFOneB, 2, 3, false), 1), "F1 F2 F3");
}

void TestSchedule::everythingOnceAndNothingTooEarly()
{
    for (const Schedule schedule : {Schedule::OneFOneB, Schedule::GPipe}) {
        for (int stages = 1; stages <= 8; ++stages) {
            for (int microBatches = 1; microBatches <= 9; ++microBatches) {
                std::set<std::tuple<int, int, bool>> done;
                for (const StageWork &work : pipelineOrder(schedule, stages, microBatches, true)) {
                    if (!work.backward && work.stage > 0)
                        QVERIFY(done.contains({work.stage - 1, work.microBatch, false}));
                    if (work.backward && work.stage == stages - 1)
                        QVERIFY(done.contains({work.stage, work.microBatch, false}));
                    if (work.backward && work.stage < stages - 1)
                        QVERIFY(done.contains({work.stage + 1, work.microBatch, true}));
                    QVERIFY(done.insert({work.stage, work.microBatch, work.backward}).second);
                }
                QCOMPARE(done.size(), std::size_t(2 * stages * microBatches));
            }
        }
    }
}

void TestSchedule::microBatchesInFlight()
{
    for (int stages = 2; stages <= 8; ++stages) {
        for (const int microBatches : {1, 3, 8, 16}) {
            QCOMPARE(inFlight(pipelineOrder(Schedule::GPipe, stages, microBatches, true), 0), microBatches);
            const auto order = pipelineOrder(Schedule::OneFOneB, stages, microBatches, true);
            for (int stage = 0; stage < stages; ++stage)
                QCOMPARE(inFlight(order, stage), std::min(stages - stage, microBatches));
        }
    }
}

/// The stage before waits for the gradient of its output: sums over replicas, which nothing needs before the optimizer,
/// come behind its sending, however many layers a stage has.
void TestSchedule::gradientsHoldUpNoStage()
{
    const auto experiment = readExperiment({{"scheme", "block"},
                                            {"mesh", "tp=2,pp=2,dp=2"},
                                            {"layers", "6"},
                                            {"hidden", "64"},
                                            {"heads", "4"},
                                            {"micro-batches", "2"}});
    QVERIFY(bool(experiment));
    const Plan plan = buildPlan(*experiment);
    std::set<int> sent; // micro-batches whose gradient the last stage has sent
    int sums = 0;
    for (const Step &step : plan.steps) {
        if (step.stage != 1 || step.pass != Pass::Backward || !step.collective)
            continue;
        if (step.collective->op == CollectiveOp::SendRecv)
            sent.insert(step.microBatch);
        if (step.collective->axis != MeshAxis::Dp)
            continue;
        ++sums;
        QVERIFY2(sent.contains(1), step.label.c_str()); // of the last micro-batch
    }
    QCOMPARE(sums, 3); // one message for each of the stage's layers
}

QTEST_GUILESS_MAIN(TestSchedule)
#include "tst_schedule.moc"
