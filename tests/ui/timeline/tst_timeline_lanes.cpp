// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/diagram/sample_plans.h"
#include "tests/ui/timeline/sample_run.h"
#include "tests/ui/timeline/scheduled_run.h"
#include "ui/charts/number_format.h"
#include "ui/timeline/timeline_content.h"

#include <QtTest>
#include <algorithm>
#include <array>

using namespace shardscope;

/// Lanes of meshes, pipelines and overlapped collectives, and what is said of the drawn step.
class TestTimelineLanes : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void launchesAndChoicesAreSaid()
    {
        Run gpus = sampleRun({});
        for (SpanEvent &span : gpus.spans)
            span.launchNs = 7000;
        const auto sent = std::ranges::find_if(gpus.spans, [](const SpanEvent &span) { return !span.op.empty(); });
        gpus.carried.push_back({sent->step, "RING", "LL128"});
        const TimelineContent content = timelineContent(std::make_shared<Run>(gpus), false);
        int carried = 0;
        for (const TimelineLane &lane : content.data.lanes) {
            for (const TimelineBar &bar : lane.bars) {
                const QStringList lines = barDescription(content, bar);
                const bool said = lines.contains(QStringLiteral("carried by RING, LL128: NCCL's own choice"));
                QCOMPARE(said, bar.step == sent->step);
                carried += said ? 1 : 0;
                QVERIFY2(lines.last().contains(QStringLiteral("would show 7\u00A0µs")), qPrintable(lines.last()));
            }
        }
        QVERIFY(carried > 0);
    }
    /// Not medians over all steps: what stands above a picture is in it.
    void titleIsOfTheStepThatIsDrawn()
    {
        SampleOptions late;
        late.lateMilliseconds = 20;
        const auto run = std::make_shared<Run>(sampleRun(late));
        QStringList titles;
        for (const auto kind : {IterationChoice::Kind::Fastest, IterationChoice::Kind::Slowest}) {
            const TimelineContent content = timelineContent(run, false, {kind, 0});
            std::int64_t communication = 0;
            std::int64_t hatched = 0;
            for (int rank = 0; rank < content.data.ranks; ++rank) {
                std::int64_t spent = 0;
                std::int64_t waited = 0;
                for (const TimelineBar &bar : content.data.lane(rank, Stream::Communication).bars) {
                    spent += bar.duration();
                    waited += bar.waitNs;
                }
                communication = std::max(communication, spent);
                hatched = std::max(hatched, waited);
            }
            const auto text = [](std::int64_t ns) { return formatDuration(static_cast<double>(ns)); };
            const std::int64_t step = content.data.timedNs.at(static_cast<std::size_t>(content.data.timedNumber - 1));
            titles << content.title;
            QCOMPARE(content.title,
                     QStringLiteral("Up to %1 of the training step is communication: %2 of %3; up to %4 are waiting")
                         .arg(formatShare(static_cast<double>(communication) / static_cast<double>(step)),
                              text(communication), text(step), text(hatched)));
        }
        QVERIFY(titles[0] != titles[1]);
    }
    void captionNamesWhatIsNotAsUsual()
    {
        SampleOptions options;
        Run run = sampleRun(options);
        run.plan.experiment.scheme = Scheme::Pipeline;
        run.plan.experiment.mesh = meshAlong(MeshAxis::Pp, options.ranks);
        run.plan.experiment.microBatches = 8;
        run.plan.experiment.stageDelay = StageDelay{10, 20};
        const QString caption = timelineContent(std::make_shared<Run>(run), false).caption;
        for (const char *words : {"8 micro-batches", "every forward padded to 10\u00a0ms, backward to 20\u00a0ms"})
            QVERIFY2(caption.contains(QString::fromUtf8(words)), qPrintable(caption));
    }
    void everyAxisHasItsOwnLane()
    {
        const Run run = scheduledRun(planOf({{"scheme", "mlp"}, {"mesh", "tp=2,dp=2"}}));
        const TimelineData data = timelineData(run);
        QCOMPARE(data.axes, (std::vector{MeshAxis::Tp, MeshAxis::Dp}));
        QCOMPARE(data.lanes.size(), std::size_t(4 * 3));
        for (int rank = 0; rank < 4; ++rank) {
            QVERIFY(!data.laneAt(rank, 1).bars.empty() && !data.laneAt(rank, 2).bars.empty());
            for (int place = 0; place < data.lanesPerRank(); ++place) {
                for (const TimelineBar &bar : data.laneAt(rank, place).bars) {
                    QCOMPARE(data.placeOf(bar), place);
                    QCOMPARE(bar.rank, rank);
                }
            }
            QCOMPARE(data.collectives(rank).size(),
                     data.laneAt(rank, 1).bars.size() + data.laneAt(rank, 2).bars.size());
        }
    }
    void whatPassesBesideComputeIsHidden()
    {
        const TimelineData plain = timelineData(scheduledRun(planOf({{"scheme", "mlp"}, {"ranks", "2"}})));
        QCOMPARE(plain.hiddenNs, 0);
        const auto run =
            std::make_shared<Run>(scheduledRun(planOf({{"scheme", "mlp"}, {"ranks", "2"}, {"overlap", "on"}})));
        const TimelineContent content = timelineContent(run, false);
        const TimelineData &data = content.data;
        QVERIFY(data.hiddenNs > 0);
        std::int64_t sum = 0;
        bool said = false;
        for (int rank = 0; rank < 2; ++rank) {
            std::int64_t spans = 0;
            std::int64_t bars = 0;
            for (const HiddenSpan &hidden : data.laneAt(rank, 1).hidden)
                spans += hidden.end - hidden.begin;
            for (const TimelineBar &bar : data.laneAt(rank, 1).bars) {
                QVERIFY(bar.hiddenNs >= 0 && bar.hiddenNs <= bar.duration());
                bars += bar.hiddenNs;
                said |= bar.hiddenNs > 0 && barDescription(content, bar).join('\n').contains("hidden under compute");
            }
            QCOMPARE(spans, bars);
            sum += bars;
        }
        QCOMPARE(sum, data.hiddenNs);
        QVERIFY(said);
    }
    void microBatchesFollowEachOtherOnEachStage()
    {
        const Run run =
            scheduledRun(planOf({{"scheme", "pipeline"}, {"ranks", "4"}, {"micro-batches", "4"}, {"hidden", "64"}}));
        const TimelineData data = timelineData(run);
        for (int rank = 0; rank < 4; ++rank) {
            std::array<int, 2> next{0, 0};
            for (const MicroBatchSpan &span : data.laneAt(rank, 0).microBatches) {
                int &expected = next[span.pass == Pass::Forward ? 0 : 1];
                QVERIFY(span.microBatch == expected || span.microBatch == expected - 1);
                expected = span.microBatch + 1;
                QVERIFY(span.end > span.begin);
            }
            QCOMPARE(next, (std::array{4, 4}));
        }
        QVERIFY(timelineData(sampleRun({})).laneAt(0, 0).microBatches.empty());
    }
    void passesOfAPipelineAreInterleaved()
    {
        const TimelineData pipeline = timelineData(
            scheduledRun(planOf({{"scheme", "pipeline"}, {"ranks", "4"}, {"micro-batches", "6"}, {"hidden", "64"}})));
        QVERIFY(pipeline.sections.size() >= 2 && pipeline.interleaved(1));
        QVERIFY(!timelineData(sampleRun({})).interleaved(1));
    }
};

QTEST_GUILESS_MAIN(TestTimelineLanes)
#include "tst_timeline_lanes.moc"
