// SPDX-License-Identifier: GPL-3.0-or-later
// A prediction records ranks that do the same once; every one of them has its lanes.
#include "engine/plan/experiment_options.h"
#include "engine/simulate/simulate.h"
#include "ui/timeline/step_times.h"
#include "ui/timeline/timeline_content.h"

#include <QtTest>
#include <tuple>

using namespace shardscope;

namespace {

Run predicted(const OptionValues &options)
{
    return simulate(buildPlan(*readExperiment(options)), *findHardware("h100-8"));
}

Run withRecordsOfEveryRank(Run run)
{
    run.spans = run.spansOfEveryRank();
    run.hops = run.hopsOfEveryRank();
    run.standIns.clear();
    return run;
}

bool sameBar(const TimelineBar &a, const TimelineBar &b)
{
    return std::tie(a.rank, a.step, a.begin, a.end, a.waitNs, a.hiddenNs, a.sentBytes) ==
           std::tie(b.rank, b.step, b.begin, b.end, b.waitNs, b.hiddenNs, b.sentBytes);
}

bool sameLane(const TimelineLane &a, const TimelineLane &b)
{
    return a.rank == b.rank && std::ranges::equal(a.bars, b.bars, sameBar) && a.latestEnd == b.latestEnd &&
           a.hopStarts == b.hopStarts && a.microBatches.size() == b.microBatches.size() &&
           a.hidden.size() == b.hidden.size();
}

} // namespace

class TestTimelineStandIns : public QObject
{
    Q_OBJECT
private slots:
    void theyAreDrawnAsIfTheyHadRecords_data()
    {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("value");
        QTest::newRow("overlap") << "overlap"
                                 << "on";
        QTest::newRow("late") << "delay"
                              << "3:2";
    }
    void theyAreDrawnAsIfTheyHadRecords()
    {
        QFETCH(const QString, option);
        QFETCH(const QString, value);
        const Run run = predicted({{"scheme", "block"},
                                   {"mesh", "tp=4,dp=2,pp=2"},
                                   {"micro-batches", "2"},
                                   {"algorithm", "ring"},
                                   {option.toStdString(), value.toStdString()}});
        QVERIFY(run.recordedRanks().size() < 16);
        const TimelineData drawn = timelineData(run);
        const TimelineData each = timelineData(withRecordsOfEveryRank(run));
        QVERIFY(std::ranges::equal(drawn.lanes, each.lanes, sameLane));
        QCOMPARE(drawn.hiddenNs, each.hiddenNs);
        QCOMPARE(drawn.longestWaitNs, each.longestWaitNs);
        QCOMPARE(drawn.durationNs, each.durationNs);
        QVERIFY(each.hiddenNs > 0 || each.longestWaitNs > 0);
    }

    /// Of thousands one row for each stage.
    void manyRanksHaveARowForThoseAlike()
    {
        const Run run = predicted({{"scheme", "mlp"}, {"layers", "16"}, {"mesh", "tp=8,pp=16,dp=128"}});
        const TimelineContent content = timelineContent(std::make_shared<Run>(run), false);
        QCOMPARE(content.data.rowCount(), 16);
        QCOMPARE(content.data.ranks, 16'384);
        QCOMPARE(content.data.lanes.size(), static_cast<std::size_t>(16 * content.data.lanesPerRank()));
        QVERIFY(!content.data.laneAt(content.data.rows.back(), 0).bars.empty());
        QVERIFY2(content.caption.contains("16 rows for 16384 ranks"), qPrintable(content.caption));
        QVERIFY2(rowTitle(content, 1).endsWith("and 1023 alike"), qPrintable(rowTitle(content, 1)));
        // As if each were there: what the stages leave idle does not depend on how many rows stand for them.
        const Run small = predicted({{"scheme", "mlp"}, {"layers", "16"}, {"mesh", "tp=8,pp=16,dp=1"}});
        QVERIFY(stepTimes(content.data).idleShare > 0.5 && stepTimes(timelineData(small)).idleShare > 0.5);
    }
};

QTEST_GUILESS_MAIN(TestTimelineStandIns)
#include "tst_timeline_stand_ins.moc"
