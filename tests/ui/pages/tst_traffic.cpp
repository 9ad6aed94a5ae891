// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/sheet_checks.h"

#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/option_words.h"
#include "ui/pages/traffic_page.h"
#include "ui/pages/traffic_sheet.h"

#include <QComboBox>
#include <numeric>

using namespace shardscope;

namespace {

PageInput inputFor(const char *words)
{
    const Experiment experiment = experimentOf(valuesOf(QString::fromLatin1(words)));
    return {experiment, std::make_shared<const Plan>(buildPlan(experiment)), {}};
}

TrafficValues valuesFor(const char *words, std::optional<MeshAxis> axis = std::nullopt)
{
    return trafficValues(inputFor(words), axis);
}

QString findingFor(const char *words, std::optional<MeshAxis> axis = std::nullopt)
{
    return trafficFinding(valuesFor(words, axis)).replace(QChar::Nbsp, QLatin1Char(' '));
}

/// A run in which every communicator counts what the plan says, and one more byte on rank 0 where `wrong`.
RunPtr runOf(const PageInput &input, bool wrong)
{
    auto run = std::make_shared<Run>();
    run->plan = *input.plan;
    run->startedAt = "2026-01-02T03:04:05+00:00";
    run->machine.host = "2 cores";
    for (int rank = 0; rank < run->experiment().ranks(); ++rank) {
        for (const Step &step : run->plan.steps) {
            if (!step.collective || !run->plan.runs(step, rank))
                continue;
            SpanEvent span;
            span.rank = rank;
            span.step = step.id;
            span.endNs = 1000;
            span.op = name(step.collective->op);
            span.sentBytes = sentBytesByRank(run->plan, step)[static_cast<std::size_t>(rank)];
            span.sentBytes += wrong && rank == 0 ? 1 : 0;
            run->append(span);
        }
        run->append(IterationEvent{rank, 0, false, 0, 1000});
    }
    return run;
}

const char *const kLayers[] = {
    "--scheme mlp --ranks 4",
    "--scheme block --mesh tp=2,dp=2",
    "--scheme pipeline --ranks 4 --micro-batches 8",
    "--scheme zero3 --ranks 4",
    "--scheme mlp --ranks 4 --reduce-to root",
    "--scheme mlp --ranks 8 --algorithm tree",
    "--scheme mlp --ranks 8 --algorithm direct",
    "--scheme mlp --ranks 16 --hidden 1040",
    "--scheme mlp --ranks 1",
    "--scheme mlp --ranks 2",
    "--scheme mlp --ranks 64",
    "--scheme block --mesh tp=4,dp=2,pp=2 --layers 2 --micro-batches 2 --sequence-parallel megatron",
    "--scheme attention --ranks 8 --heads 16 --kv-heads 2 --layers 4",
    "--scheme zero3 --ranks 4 --layer block --layers 4",
};

} // namespace

class TestTraffic : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void findings_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("finding");
        const auto row = [](int layer, const char *finding) {
            QTest::newRow(kLayers[layer]) << QString::fromLatin1(kLayers[layer]) << QString::fromUtf8(finding);
        };
        row(0, "Every rank sends 3 MiB a step; counted as a ring, all of it to the next rank");
        row(1, "Every rank sends 28 MiB a step: 4 MiB along tp, 24 MiB along dp");
        row(2, "Only neighbouring stages talk: ranks 1 and 2 send 16 MiB a step, the others only 8 MiB");
        row(3, "Every rank sends 72 MiB a step; counted as a ring, all of it to the next rank");
        row(4, "Counted as a chain through rank 0: ranks 1 and 2 send 4 MiB a step, the others only 2 MiB");
        row(5, "A tree loads its ranks unequally: ranks 0 and 4 send 6 MiB a step, 4 ranks only 2 MiB");
        row(6, "Every rank sends 14 MiB a step, 2 MiB to each of the 7 others");
        row(8, "One rank: nothing travels, for nothing is cut");
        row(9, "Each of both ranks sends the other 2 MiB a step");
        QTest::newRow("replicas") << QStringLiteral("--scheme attention --ranks 4 --kv-heads 2")
                                  << QStringLiteral("Every rank sends 3.5 MiB a step; counted as rings, to 1 or 2 of "
                                                    "the 3 others");
        QTest::newRow("halving") << QStringLiteral("--scheme mlp --ranks 8 --algorithm halving-doubling")
                                 << QStringLiteral("Every rank sends 3.5 MiB a step, to 3 of the 7 others");
        QTest::newRow("silent") << QStringLiteral("--scheme column --ranks 4 --phase prefill")
                                << QStringLiteral("Nothing travels: what each rank computes is complete without the "
                                                  "others");
    }
    void findings()
    {
        QFETCH(QString, words);
        QFETCH(QString, finding);
        QCOMPARE(findingFor(words.toLatin1().constData()), finding);
    }

    void oneAxisIsShownAlone()
    {
        QCOMPARE(findingFor(kLayers[1], MeshAxis::Tp),
                 QStringLiteral("Every rank sends 4 MiB a step, all of it to its partner along tp"));
        QCOMPARE(findingFor(kLayers[0], MeshAxis::Dp), QStringLiteral("Nothing travels along dp in this step"));
        const TrafficValues both = valuesFor(kLayers[1]);
        const TrafficValues dp = valuesFor(kLayers[1], MeshAxis::Dp);
        QCOMPARE(dp.lines.size(), std::size_t{1});
        QCOMPARE(dp.matrix.total(), both.matrix.total() - valuesFor(kLayers[1], MeshAxis::Tp).matrix.total());
    }

    /// The lines beside the matrix are of the same bytes as its cells.
    void linesAddUpToTheMatrix()
    {
        for (const char *words : kLayers) {
            const TrafficValues values = valuesFor(words);
            const std::int64_t sum =
                std::accumulate(values.lines.begin(), values.lines.end(), std::int64_t{0},
                                [](std::int64_t all, const TrafficLine &line) { return all + line.totalBytes; });
            QCOMPARE(sum, values.matrix.total());
            if (values.axes.size() > 1) {
                for (const TrafficLine &line : values.lines)
                    QVERIFY2(line.place.contains(QStringLiteral("along")), qPrintable(line.what));
            }
        }
    }

    /// In a tree the root sends more than a leaf; in a ring all send alike.
    void unequalSharesAreSaid()
    {
        QVERIFY(valuesFor(kLayers[5]).lines.front().atMost);
        QVERIFY(!valuesFor(kLayers[0]).lines.front().atMost);
        QVERIFY(!valuesFor(kLayers[2]).lines.front().atMost); // a message has one sender
    }

    void whatWasObservedIsSaid()
    {
        PageInput input = inputFor(kLayers[0]);
        using Proof = TrafficValues::Proof;
        QVERIFY(trafficValues(input, {}).proof == Proof::NotRun);
        QVERIFY(trafficProof(trafficValues(input, {})).contains("not run"));
        input.results.measured[Phase::Training] = runOf(input, false);
        const TrafficValues agrees = trafficValues(input, {});
        QVERIFY(agrees.proof == Proof::Agrees);
        QVERIFY(trafficProvenance(agrees).contains("as observed, measured"));
        input.results.measured[Phase::Training] = runOf(input, true);
        QVERIFY(trafficValues(input, {}).proof == Proof::Differs);
        QVERIFY(trafficProvenance(trafficValues(input, {})).contains("NOT as observed"));
        input.results.stale = true;
        QVERIFY(trafficValues(input, {}).proof == Proof::OtherSettings);
    }

    /// Only where the library chooses is anything assumed.
    void whatIsCountedIsExplained()
    {
        QVERIFY(trafficCounting(valuesFor(kLayers[0])).contains("not known"));
        QVERIFY(!trafficCounting(valuesFor(kLayers[5])).contains("not known"));
        QVERIFY(trafficCounting(valuesFor(kLayers[4])).contains("chain"));
        QVERIFY(trafficCounting(valuesFor(kLayers[2])).contains("message"));
        QVERIFY(trafficCounting(valuesFor(kLayers[8])).isEmpty());
    }

    void textsKeepApart_data()
    {
        QTest::addColumn<QString>("words");
        for (const char *words : kLayers)
            QTest::newRow(words) << QString::fromLatin1(words);
    }
    void textsKeepApart()
    {
        QFETCH(QString, words);
        const TrafficValues values = valuesFor(words.toLatin1().constData());
        std::vector<PageView> views(std::begin(kPageViews), std::end(kPageViews));
        views.push_back({{29, 29, 1542, 1100}, 1.44}); // a slide of 4:3
        for (const PageView &view : views)
            QCOMPARE(textProblem(trafficSheet(values, view.area, Theme::light(), view.unit), view.area), QString());
    }

    /// Every pair that talks can be pointed at, and says its bytes.
    void cellsSayTheirBytes()
    {
        const TrafficValues values = valuesFor(kLayers[1]);
        const Sheet sheet = trafficSheet(values, {0, 0, 1280, 720}, Theme::light(), 1);
        int pairs = 0;
        for (const PageSpot &spot : sheet.spots)
            pairs += spot.details.contains(QStringLiteral(" to rank ")) ? 1 : 0;
        QCOMPARE(pairs, values.talkingPairs());
        QVERIFY(std::ranges::any_of(sheet.spots, [](const PageSpot &spot) {
            return spot.details.startsWith(QStringLiteral("rank 1 (tp 1, dp 0) to rank 3 (tp 1, dp 1)"));
        }));
    }

    /// More bytes are farther from the ground, in every theme; a little is still seen.
    void coloursRise()
    {
        for (const Theme *theme : {&Theme::light(), &Theme::dark(), &Theme::projector()}) {
            double last = 1;
            for (int share = 1; share <= 10; ++share) {
                const double contrast = contrastRatio(trafficColour(share, 10, *theme), theme->surface);
                QVERIFY(contrast > last);
                last = contrast;
            }
            QVERIFY(contrastRatio(trafficColour(1, 1000, *theme), theme->surface) > 1.08);
            QVERIFY(!trafficColour(0, 10, *theme).isValid());
        }
    }

    void thePageFollowsTheMesh()
    {
        TrafficPage page;
        page.setInput(inputFor(kLayers[1]));
        auto *axes = page.findChild<QComboBox *>();
        QCOMPARE(axes->count(), 3);
        QVERIFY(axes->isEnabled());
        axes->setCurrentIndex(axes->findText(QStringLiteral("dp")));
        QCOMPARE(page.picture().finding, trafficFinding(valuesFor(kLayers[1], MeshAxis::Dp)));
        // One axis is all there is; the choice waits for a mesh that has it.
        page.setInput(inputFor(kLayers[0]));
        QVERIFY(!axes->isEnabled());
        QCOMPARE(page.picture().finding, trafficFinding(valuesFor(kLayers[0])));
        const QString options = page.options();
        TrafficPage other;
        other.setOptions(options);
        other.setInput(inputFor(kLayers[1]));
        QCOMPARE(other.picture().finding, trafficFinding(valuesFor(kLayers[1], MeshAxis::Dp)));
        QCOMPARE(other.options(), options);
    }

    void ring()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(trafficSheet, valuesFor(kLayers[0]), Theme::projector()), "traffic-ring");
    }
    void mesh()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(trafficSheet, valuesFor(kLayers[11]), Theme::light()), "traffic-mesh");
    }
    void treeInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(trafficSheet, valuesFor(kLayers[5]), Theme::dark()), "traffic-tree-dark");
    }
    void manyRanks()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(trafficSheet, valuesFor(kLayers[10]), Theme::light()), "traffic-64");
    }
};

QTEST_MAIN(TestTraffic)
#include "tst_traffic.moc"
