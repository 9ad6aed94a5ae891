// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulate/simulate.h"
#include "tests/ui/timeline/sample_run.h"
#include "ui/charts/number_format.h"
#include "ui/timeline/gantt_bars.h"
#include "ui/timeline/playhead_map.h"
#include "ui/timeline/timeline_content.h"

#include <QtTest>
#include <cmath>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

TimelineLane laneOf(const std::vector<std::pair<std::int64_t, std::int64_t>> &spans)
{
    TimelineLane lane;
    std::int64_t latest = 0;
    for (const auto &[begin, end] : spans) {
        TimelineBar bar;
        bar.begin = begin, bar.end = end;
        lane.bars.push_back(bar);
        lane.latestEnd.push_back(latest = std::max(latest, end));
    }
    return lane;
}

/// Up to 300 bars that follow each other, most shorter than a pixel.
TimelineLane anyLane()
{
    std::vector<std::pair<std::int64_t, std::int64_t>> spans;
    std::int64_t at = 0;
    for (const int seed : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10000))) {
        const std::int64_t begin = at + seed % 7;
        at = begin + 1 + (seed % 11 == 0 ? seed : seed % 20);
        spans.emplace_back(begin, at);
    }
    return laneOf(spans);
}

/// Two ranks, one all-reduce of `payload` bytes with these durations.
Run collectiveRun(CollectiveOp op, int ranks, std::int64_t payload, const std::vector<std::int64_t> &durations)
{
    Run run;
    run.plan.experiment.mesh.setExtent(MeshAxis::Tp, ranks);
    Step step;
    step.label = "AR Y";
    step.kind = StepKind::Collective;
    step.stream = Stream::Communication;
    step.collective = Collective{};
    step.collective->op = op;
    run.plan.steps = {step};
    std::int64_t longest = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::int64_t duration = durations[static_cast<std::size_t>(rank) % durations.size()];
        SpanEvent span;
        span.rank = rank, span.startNs = 1000, span.endNs = 1000 + duration;
        span.op = std::string(name(op)), span.payloadBytes = payload;
        run.spans.push_back(span);
        longest = std::max(longest, duration);
    }
    for (int rank = 0; rank < ranks; ++rank)
        run.iterations.push_back({rank, 0, false, 1000, 1000 + longest});
    return run;
}

} // namespace

class TestTimelineData : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void showsTheMedianTimedIteration()
    {
        Run run = collectiveRun(CollectiveOp::AllReduce, 1, 8, {500});
        run.iterations = {{0, 0, true, 0, 99'000},
                          {0, 1, false, 0, 700},
                          {0, 2, false, 1000, 1500},
                          {0, 3, false, 2000, 2900},
                          {0, 4, false, 4000, 4600}};
        const TimelineData data = timelineData(run);
        QCOMPARE(data.iteration, 4); // 500, 600, 700, 900: the lower of the two in the middle
        QCOMPARE(data.timedNumber, 4);
        QCOMPARE(data.timedCount, 4);
        QCOMPARE(data.durationNs, 600);
    }
    void anyTimedIterationCanBeChosen()
    {
        Run run = collectiveRun(CollectiveOp::AllReduce, 1, 8, {500});
        run.iterations = {
            {0, 0, true, 0, 99'000}, {0, 1, false, 0, 700}, {0, 2, false, 1000, 1500}, {0, 3, false, 2000, 2900}};
        const auto shown = [&](const IterationChoice &choice) { return timelineData(run, choice).iteration; };
        using Kind = IterationChoice::Kind;
        QCOMPARE(shown({}), 1);
        QCOMPARE(shown({Kind::Fastest, 0}), 2);
        QCOMPARE(shown({Kind::Slowest, 0}), 3);
        QCOMPARE(shown({Kind::Number, 2}), 2);
        for (const int nowhere : {-1, 0, 4})
            QCOMPARE(shown({Kind::Number, nowhere}), 1);
        const TimelineData data = timelineData(run);
        QCOMPARE(data.timedNs, (std::vector<std::int64_t>{700, 500, 900}));
        QCOMPARE(choiceText(data, {Kind::Slowest, 0}), QStringLiteral("Slowest: step 3, 900\u00a0ns"));
    }
    void captionSaysWhichStepIsDrawn()
    {
        const auto run = std::make_shared<Run>(sampleRun({}));
        const auto caption = [&](const IterationChoice &choice) {
            const TimelineContent content = timelineContent(run, false, choice);
            const int number = content.data.timedNumber;
            const QString length = formatDuration(static_cast<double>(content.data.timedNs.at(number - 1)));
            return content.caption.section(QStringLiteral(" ·"), 0, 0).replace(length, "LENGTH").trimmed();
        };
        const TimelineData data = timelineData(*run);
        QCOMPARE(caption({}), QStringLiteral("training step %1 of 5, the median: LENGTH").arg(data.medianNumber));
        const TimelineData slow = timelineData(*run, {IterationChoice::Kind::Slowest, 0});
        QCOMPARE(caption({IterationChoice::Kind::Slowest, 0}),
                 QStringLiteral("training step %1 of 5, the slowest: LENGTH").arg(slow.timedNumber));
        QVERIFY(!timelineContent(std::make_shared<Run>(sampleRun({Phase::Decode, 8, 0, 1, Source::Predicted})), false)
                     .caption.contains(QStringLiteral("decode pass 1")));
    }
    void titleSaysWhatOfTheCommunicationIsWaiting()
    {
        SampleOptions late;
        late.lateMilliseconds = 20;
        const QString title = timelineContent(std::make_shared<Run>(sampleRun(late)), false).title;
        QVERIFY2(title.endsWith(QStringLiteral("are waiting")), qPrintable(title));
        const auto together = std::make_shared<Run>(collectiveRun(CollectiveOp::AllReduce, 2, 1000, {5000}));
        const QString plain = timelineContent(together, false).title;
        QVERIFY2(plain.startsWith(QStringLiteral("Up to 100")) && !plain.contains("waiting"), qPrintable(plain));
    }
    void aPredictionBeyondOneNodeWarns()
    {
        const auto warningFor = [](int ranks) {
            Experiment experiment;
            experiment.mesh.extents = {ranks, 1, 1};
            const Run run = simulate(buildPlan(experiment), *findHardware("h100-8"));
            return timelineContent(std::make_shared<Run>(run), false).warning;
        };
        QCOMPARE(warningFor(16), QStringLiteral("16 ranks on 2 nodes of 8: ports between them assumed"));
        QVERIFY(warningFor(8).isEmpty());
    }
    void ranksOfAPredictionForGpusAreGpus()
    {
        Run run = sampleRun({});
        run.plan.transport = Transport::Nccl;
        const TimelineContent content = timelineContent(std::make_shared<Run>(run), false);
        const TimelineBar &bar = content.data.lane(3, Stream::Compute).bars.front();
        QVERIFY(barDescription(content, bar).first().endsWith(QStringLiteral("GPU 3")));
    }
    void warmupsAreNeverShown()
    {
        const SampleOptions options{Phase::Training, 4, 3, 1};
        QCOMPARE(timelineData(sampleRun(options)).iteration, 3);
        QVERIFY(timelineData(sampleRun({Phase::Training, 4, 3, 0})).empty());
    }
    void incompleteIterationsAreNotShown()
    {
        Run run = sampleRun({});
        std::erase_if(run.iterations, [](const IterationEvent &e) { return e.iteration >= 3 && e.rank == 2; });
        const TimelineData data = timelineData(run);
        QCOMPARE(data.timedCount, 1);
        QCOMPARE(data.iteration, 2);
    }
    void lanesAreSortedByRankThenTime()
    {
        const TimelineData data = timelineData(sampleRun({Phase::Training, 12}));
        QCOMPARE(data.lanes.size(), std::size_t(24));
        for (int rank = 0; rank < 12; ++rank) {
            for (const Stream stream : {Stream::Compute, Stream::Communication}) {
                const TimelineLane &lane = data.lane(rank, stream);
                QCOMPARE(lane.rank, rank);
                QVERIFY(!lane.bars.empty());
                for (std::size_t i = 1; i < lane.bars.size(); ++i)
                    QVERIFY(lane.bars[i - 1].end <= lane.bars[i].begin);
            }
        }
        QCOMPARE(data.sections.size(), std::size_t(2));
        QVERIFY(data.sections[0].range.end <= data.sections[1].range.end);
    }
    void waitIsWhatExceedsTheShortestRank()
    {
        const TimelineData data = timelineData(collectiveRun(CollectiveOp::AllReduce, 2, 1000, {5000, 2000}));
        QCOMPARE(data.lane(0, Stream::Communication).bars.at(0).waitNs, 3000);
        QCOMPARE(data.lane(1, Stream::Communication).bars.at(0).waitNs, 0);
        QCOMPARE(data.longestWaitNs, 3000);
    }
    void delayShowsAsWaitingOfTheOthers()
    {
        const TimelineData plain = timelineData(sampleRun({}));
        SampleOptions late;
        late.lateMilliseconds = 20;
        const TimelineData data = timelineData(sampleRun(late));
        const TimelineBar &other = data.lane(0, Stream::Communication).bars.at(0);
        const TimelineBar &own = data.lane(1, Stream::Communication).bars.at(0);
        QVERIFY(other.waitNs > 15'000'000);
        QVERIFY(own.waitNs < 1'000'000);
        const TimelineBar &before = plain.lane(0, Stream::Communication).bars.at(0);
        QVERIFY(std::abs(static_cast<double>((other.duration() - other.waitNs) - (before.duration() - before.waitNs))) <
                1e5);
    }
    void impossibleRecordsAreCountedNotDrawn()
    {
        Run run = collectiveRun(CollectiveOp::AllReduce, 2, 1000, {5000, 2000});
        SpanEvent bad = run.spans.front();
        bad.startNs = 0, bad.endNs = 0;
        run.spans.push_back(bad);
        bad.startNs = 4000, bad.endNs = 3000;
        run.spans.push_back(bad);
        bad = run.spans.front();
        bad.step = 7;
        run.spans.push_back(bad);
        bad = run.spans.front();
        bad.rank = 2;
        run.spans.push_back(bad);
        run.rejected = 1;
        const TimelineData data = timelineData(run);
        QCOMPARE(data.rejected, 5);
        QCOMPARE(data.lane(0, Stream::Communication).bars.size(), std::size_t(1));
    }
    void rejectedRecordsAreSaid()
    {
        Run run = sampleRun({});
        SpanEvent bad = run.spans.back();
        std::swap(bad.startNs, bad.endNs);
        run.append(bad);
        const TimelineContent content = timelineContent(std::make_shared<Run>(run), false);
        QVERIFY2(content.warning.contains(QStringLiteral("records left out: 1")), qPrintable(content.warning));
        QVERIFY(timelineContent(std::make_shared<Run>(sampleRun({})), false).warning.isEmpty());
    }

    void shortBarsAreOnePixelWide()
    {
        const TimelineLane lane = laneOf({{500'000, 500'001}});
        const auto visible = visibleBars(lane, {0, 1e6}, 1000, true);
        QCOMPARE(visible.size(), std::size_t(1));
        QCOMPARE(visible[0].left, 500.0);
        QCOMPARE(visible[0].right, 501.0);
    }
    void longBarsStayWhenZoomedIn()
    {
        const TimelineLane lane = laneOf({{0, 1'000'000}, {1'000'010, 1'000'020}});
        const auto visible = visibleBars(lane, {400'000, 400'010}, 1000, true);
        QCOMPARE(visible.size(), std::size_t(1));
        QVERIFY(visible[0].left <= 0 && visible[0].right >= 1000);
    }
    void longBarUnderShortOnesIsFound()
    {
        // Overlapping spans in one lane: the long one began first and is still running.
        const TimelineLane lane = laneOf({{0, 1000}, {10, 20}, {30, 40}});
        QCOMPARE(firstReaching(lane, 500), std::size_t(0));
        QCOMPARE(visibleBars(lane, {500, 600}, 100, true).size(), std::size_t(1));
    }
    void mergingKeepsLongOnesAndAPixelForAll()
    {
        QVERIFY(rc::check([] {
            const TimelineLane lane = anyLane();
            RC_PRE(!lane.bars.empty());
            const double pixels = *rc::gen::inRange(20, 400);
            const TimeRange view{0, static_cast<double>(lane.latestEnd.back()) + 1};
            const auto merged = visibleBars(lane, view, pixels, true);
            std::set<const TimelineBar *> kept;
            std::set<int> covered;
            for (const VisibleBar &bar : merged) {
                kept.insert(bar.bar);
                RC_ASSERT(bar.right - bar.left >= 1 - 1e-9);
                for (double x = std::floor(bar.left); x < bar.right; ++x)
                    covered.insert(static_cast<int>(x));
            }
            for (const VisibleBar &bar : visibleBars(lane, view, pixels, false)) {
                if (bar.right - bar.left > 1 + 1e-9)
                    RC_ASSERT(kept.count(bar.bar) == 1u);
                RC_ASSERT(covered.count(static_cast<int>(std::floor(bar.left))) == 1u);
            }
            RC_ASSERT(merged.size() <= static_cast<std::size_t>(2 * pixels + 4));
        }));
    }
    void cullingLosesNothingInView()
    {
        QVERIFY(rc::check([] {
            const TimelineLane lane = anyLane();
            RC_PRE(!lane.bars.empty());
            const double length = static_cast<double>(lane.latestEnd.back());
            const double a = length * *rc::gen::inRange(0, 1000) / 1000.0;
            const TimeRange view{a, a + length * *rc::gen::inRange(1, 500) / 1000.0};
            const auto count = std::count_if(lane.bars.begin(), lane.bars.end(), [&](const TimelineBar &bar) {
                return static_cast<double>(bar.end) >= view.begin && static_cast<double>(bar.begin) <= view.end;
            });
            RC_ASSERT(visibleBars(lane, view, 100, false).size() == static_cast<std::size_t>(count));
        }));
    }
    void hoverFindsTheBarUnderTheMouse()
    {
        const TimelineLane lane = laneOf({{0, 100}, {200, 210}, {1000, 5000}});
        QCOMPARE(barAt(lane, 50, 0), &lane.bars[0]);
        QCOMPARE(barAt(lane, 2000, 0), &lane.bars[2]);
        QCOMPARE(barAt(lane, 150, 0), nullptr);
        QCOMPARE(barAt(lane, 190, 20), &lane.bars[1]); // thin bar: within tolerance
        QCOMPARE(barAt(lane, 120, 90), &lane.bars[0]); // of two in reach the nearer
        QCOMPARE(barAt(lane, 6000, 10), nullptr);
        QCOMPARE(barAt(TimelineLane{}, 5, 10), nullptr);
    }
    void hatchStaysInside()
    {
        const QRectF rect(13.5, 7.25, 21, 34);
        const auto lines = hatchLines(rect, 6);
        QVERIFY(lines.size() > 5);
        const QRectF room = rect.adjusted(-1e-6, -1e-6, 1e-6, 1e-6);
        for (const QLineF &line : lines)
            QVERIFY(room.contains(line.p1()) && room.contains(line.p2()));
        QVERIFY(hatchLines({}, 6).isEmpty());
    }

    void playheadRisesAndReadsBothWays()
    {
        for (const bool ring : {true, false}) {
            SampleOptions options;
            options.ring = ring;
            const Run run = sampleRun(options);
            const TimelineData data = timelineData(run);
            const std::vector<Scene> scenes = sceneList(run.plan);
            const PlayheadMap map(scenes, data, run);
            QVERIFY(!map.empty());
            double last = -1;
            for (double position = 0; position < static_cast<double>(scenes.size()); position += 0.37) {
                const double time = map.timeAt(position);
                QVERIFY(time >= last);
                QVERIFY(std::abs(map.timeAt(map.positionAt(time)) - time) < 1);
                last = time;
            }
            QVERIFY(last <= static_cast<double>(data.durationNs));
        }
    }
    void playheadStandsOnItsStep()
    {
        const Run run = sampleRun({});
        const TimelineData data = timelineData(run);
        const std::vector<Scene> scenes = sceneList(run.plan);
        const PlayheadMap map(scenes, data, run);
        const TimelineBar &reduce = data.lane(0, Stream::Communication).bars.at(0);
        const int scene = firstSceneOf(scenes, reduce.step);
        const double time = map.timeAt(scene + 0.5);
        QVERIFY(time >= static_cast<double>(reduce.begin) - 1e6 && time <= static_cast<double>(reduce.end));
        QVERIFY(PlayheadMap().empty());
    }

    void busbwByTheTable_data()
    {
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("busbw");
        // 1 000 000 B in 1 ms is algbw 1 GB/s: busbw is the factor itself.
        QTest::newRow("all-reduce 2") << int(CollectiveOp::AllReduce) << 2 << "1\u00A0GB/s";
        QTest::newRow("all-reduce 4") << int(CollectiveOp::AllReduce) << 4 << "1.5\u00A0GB/s";
        QTest::newRow("all-reduce 8") << int(CollectiveOp::AllReduce) << 8 << "1.75\u00A0GB/s";
        QTest::newRow("all-gather 2") << int(CollectiveOp::AllGather) << 2 << "0.5\u00A0GB/s";
        QTest::newRow("all-gather 4") << int(CollectiveOp::AllGather) << 4 << "0.75\u00A0GB/s";
        QTest::newRow("reduce-scatter 8") << int(CollectiveOp::ReduceScatter) << 8 << "0.875\u00A0GB/s";
        QTest::newRow("one rank") << int(CollectiveOp::AllReduce) << 1 << "n/a, one rank";
    }
    void busbwByTheTable()
    {
        QFETCH(int, op);
        QFETCH(int, ranks);
        QFETCH(QString, busbw);
        const auto run = std::make_shared<Run>(
            collectiveRun(static_cast<CollectiveOp>(op), ranks, 1'000'000, {1'000'000, 3'000'000}));
        const TimelineContent content = timelineContent(run, false);
        const TimelineLane &lane = content.data.lane(ranks - 1, Stream::Communication);
        const QString line = barDescription(content, lane.bars.at(0)).last();
        QVERIFY2(line.contains(busbw), qPrintable(line));
        QVERIFY(!line.contains(QStringLiteral("inf")) && !line.contains(QStringLiteral("nan")));
        QVERIFY(ranks == 1 || line.contains(QStringLiteral("GB = 1e9")));
    }
    void tooltipSaysNameDurationAndBytes()
    {
        const auto run = std::make_shared<Run>(collectiveRun(CollectiveOp::AllReduce, 2, 1 << 20, {5000, 2000}));
        const TimelineContent content = timelineContent(run, false);
        const QString text =
            barDescription(content, content.data.lane(0, Stream::Communication).bars.at(0)).join(QLatin1Char('\n'));
        for (const char *part : {"all-reduce", "AR Y", "forward", "rank 0", "5\u00A0µs", "3\u00A0µs waiting",
                                 "2\u00A0µs transfer", "1\u00A0MiB (whole array)"})
            QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
    }
    void nothingToShowIsSaid()
    {
        QVERIFY(timelineContent(nullptr, false).title.contains(QStringLiteral("no run")));
        const auto run = std::make_shared<Run>(sampleRun({Phase::Training, 4, 2, 0}));
        QVERIFY(timelineContent(run, false).title.contains(QStringLiteral("no timed step")));
    }
};

QTEST_GUILESS_MAIN(TestTimelineData)
#include "tst_timeline_data.moc"
