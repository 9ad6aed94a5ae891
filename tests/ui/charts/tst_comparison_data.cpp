// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/timeline/sample_run.h"
#include "ui/charts/comparison_chart.h"
#include "ui/charts/comparison_layout.h"

#include <QCheckBox>
#include <QSignalSpy>
#include <QtTest>
#include <cmath>

using namespace shardscope;

namespace {

/// The three phases of one sample, owned.
struct Sample {
    RunsByPhase predicted;
    RunsByPhase measured;
    RunPtr one;

    explicit Sample(int ranks = 4)
    {
        for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
            predicted[phase] = std::make_shared<Run>(sampleRun({phase, ranks, 0, 1, Source::Predicted, true, 0.8}));
            measured[phase] = std::make_shared<Run>(sampleRun({phase, ranks}));
        }
        one = std::make_shared<Run>(sampleRun({Phase::Training, 1}));
    }
    [[nodiscard]] ComparisonFrame frame() const
    {
        ComparisonFrame frame;
        for (const auto &[phase, run] : predicted)
            frame.predicted[phase] = run.get();
        for (const auto &[phase, run] : measured)
            frame.measured[phase] = run.get();
        frame.oneRank = one.get();
        frame.theme = &Theme::light();
        return frame;
    }
};

const ChartGroup &groupOf(const ComparisonData &data, Metric metric)
{
    const auto found = std::find_if(data.groups.begin(), data.groups.end(),
                                    [&](const ChartGroup &group) { return group.metric == metric; });
    Q_ASSERT(found != data.groups.end());
    return *found;
}

} // namespace

class TestComparisonData : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void countsAndBytesFollowTheFormula()
    {
        const Sample sample;
        const ComparisonData data = comparisonData(sample.frame());
        QCOMPARE(data.groups.size(), std::size_t(5));
        const ChartGroup &calls = groupOf(data, Metric::Collectives);
        QCOMPARE(calls.rows[0].measured->value, 2.0);
        QCOMPARE(calls.rows[1].measured->value, 1.0);
        QCOMPARE(calls.rows[2].measured->value, 1.0);
        const ChartGroup &bytes = groupOf(data, Metric::SentBytes);
        QCOMPARE(bytes.rows[0].measured->value, 2 * 1.5 * 1048576);
        QCOMPARE(bytes.rows[1].measured->value, 1.5 * 1048576);
        QCOMPARE(bytes.rows[2].measured->value, 1.5 * 16384);
        QVERIFY(bytes.rows[1].details.contains(QStringLiteral("2(N−1)/N × S = 1.5 × 1\u00A0048\u00A0576\u00A0B")));
    }
    void perTokenDividesByThePhasesOwnTokens()
    {
        const Sample sample;
        ComparisonFrame frame = sample.frame();
        frame.perToken = true;
        const ComparisonData data = comparisonData(frame);
        const ChartGroup &bytes = groupOf(data, Metric::SentBytes);
        QCOMPARE(bytes.rows[0].measured->value, 3.0 * 1048576 / 256);
        QCOMPARE(bytes.rows[2].measured->value, 1.5 * 16384 / 4);
        QCOMPARE(groupOf(data, Metric::Collectives).title,
                 QStringLiteral("Per token: decode calls 32× the collectives of training"));
        frame.perToken = false;
        QCOMPARE(groupOf(data, Metric::CommunicationShare).rows[0].measured->value,
                 groupOf(comparisonData(frame), Metric::CommunicationShare).rows[0].measured->value);
    }
    void whiskersStandForMeasuredTimesOnly()
    {
        const ComparisonData data = comparisonData(Sample().frame());
        const ChartRow &row = groupOf(data, Metric::CommunicationTime).rows[0];
        QVERIFY(row.measured->p10 && row.measured->p90);
        QVERIFY(*row.measured->p10 <= row.measured->value && row.measured->value <= *row.measured->p90);
        QVERIFY(!row.predicted->p10);
        QVERIFY(!groupOf(data, Metric::SentBytes).rows[0].measured->p10);
    }
    void speedupComparesLikeWithLike()
    {
        Sample sample;
        const ChartGroup group = groupOf(comparisonData(sample.frame()), Metric::StepTime);
        QCOMPARE(group.rows.size(), std::size_t(2));
        QCOMPARE(group.rows[0].label, QStringLiteral("1 rank"));
        QVERIFY(group.rows[0].measured && group.rows[1].measured && !group.rows[1].predicted);
        QVERIFY2(group.title.startsWith(QStringLiteral("4 ranks are 3.4×")), qPrintable(group.title));
        QVERIFY(!comparisonData(sample.frame()).speedup.startsWith(QStringLiteral("Predicted")));
        // Measured one rank, nothing measured of N: nothing to compare.
        sample.measured.clear();
        QCOMPARE(comparisonData(sample.frame()).groups.size(), std::size_t(4));
    }
    void aPredictedSpeedupBelowMeasuredPhasesSaysSo()
    {
        Sample sample;
        const Run one = sampleRun({Phase::Training, 1, 0, 1, Source::Predicted, true, 0.8});
        ComparisonFrame frame = sample.frame();
        frame.oneRank = &one;
        const ComparisonData data = comparisonData(frame);
        QVERIFY(!data.finding.startsWith(QStringLiteral("Predicted")));
        QVERIFY2(data.speedup.startsWith(QStringLiteral("Predicted for %1: ").arg(data.predictedFor)),
                 qPrintable(data.speedup));
        QVERIFY(groupOf(data, Metric::CommunicationTime)
                    .rows[0]
                    .details.contains(QStringLiteral("predicted for %1").arg(data.predictedFor)));
    }
    void measuredIsNeverComparedWithPredicted()
    {
        Sample sample;
        const ComparisonData predicted = [&] {
            Sample alone = sample;
            alone.measured.clear();
            return comparisonData(alone.frame());
        }();
        for (const Phase running : {Phase::Prefill, Phase::Training}) {
            Sample half = sample;
            half.measured.erase(running);
            const ComparisonData data = comparisonData(half.frame());
            for (const Metric metric : {Metric::Collectives, Metric::SentBytes, Metric::CommunicationTime}) {
                QString title = groupOf(predicted, metric).title;
                title[0] = title[0].toLower();
                QCOMPARE(groupOf(data, metric).title, QStringLiteral("Predicted: ") + title);
            }
        }
        // The shares of the measured phases only.
        sample.measured.erase(Phase::Training);
        const QString share = groupOf(comparisonData(sample.frame()), Metric::CommunicationShare).title;
        QVERIFY2(!share.startsWith(QStringLiteral("Training")), qPrintable(share));
    }
    void aRunThatWasCutOffSaysSo()
    {
        Sample sample;
        const auto legendOf = [&] {
            return comparisonLayout(comparisonData(sample.frame()), {0, 0, 430, 900}, 1, true).legendItems.front().text;
        };
        QCOMPARE(legendOf(), QStringLiteral("measured"));
        for (const Phase phase : {Phase::Training, Phase::Decode}) {
            Run cut = *sample.measured[phase];
            cut.plan.experiment.steps = 20;
            sample.measured[phase] = std::make_shared<Run>(cut);
            QCOMPARE(legendOf(), phase == Phase::Training ? QStringLiteral("measured, training 5 of 20 steps")
                                                          : QStringLiteral("measured, fewer steps than asked for"));
        }
    }
    void theLegendNamesTheMachineOfThePrediction()
    {
        Sample sample;
        const auto legendOf = [&] {
            return comparisonLayout(comparisonData(sample.frame()), {0, 0, 430, 900}, 1, true).legendItems[1].text;
        };
        for (const auto &[hardware, host, words] :
             {std::tuple("h100-8", "8 x H100 SXM 80 GB, NVLink 4, ring", "predicted for 8 x H100 SXM 80 GB"),
              std::tuple("this", "this machine: 2 cores, one of ours", "predicted for this machine"),
              std::tuple("this", "", "predicted for this machine")}) {
            for (auto &[phase, run] : sample.predicted) {
                Run made = *run;
                made.hardware = hardware;
                made.machine.host = host;
                run = std::make_shared<Run>(made);
            }
            QCOMPARE(legendOf(), QString::fromLatin1(words));
        }
    }
    void oneRankAloneHasNoSpeedupAndNoTraffic()
    {
        const ComparisonData data = comparisonData(Sample(1).frame());
        QCOMPARE(data.groups.size(), std::size_t(4));
        QCOMPARE(groupOf(data, Metric::Collectives).title, QStringLiteral("No phase calls a collective"));
        QCOMPARE(groupOf(data, Metric::CommunicationShare).rows[0].measured->value, 0.0);
        QVERIFY(!data.finding.contains(QStringLiteral("nan")));
    }
    void findingIsNeverOfOtherSettings()
    {
        const Sample sample;
        ComparisonFrame frame = sample.frame();
        QVERIFY(!findingSentence(frame).startsWith(QStringLiteral("Predicted")));
        const ComparisonData current = comparisonData(frame);
        frame.stale = true;
        QVERIFY(findingSentence(frame).startsWith(QStringLiteral("Predicted")));
        const ComparisonData stale = comparisonData(frame);
        QVERIFY(stale.speedup.isEmpty());
        QVERIFY(groupOf(stale, Metric::CommunicationTime).title != groupOf(current, Metric::CommunicationTime).title);
        frame.measured.erase(Phase::Decode); // still running
        frame.stale = false;
        QVERIFY(findingSentence(frame).startsWith(QStringLiteral("Predicted")));
    }
    /// A new title over old numbers contradicts them.
    void numbersOfOtherSettingsAreGone()
    {
        const Sample sample;
        ComparisonFrame frame = sample.frame();
        frame.stale = true;
        const ComparisonData data = comparisonData(frame);
        QVERIFY(!data.measured && !data.stale && data.predicted);
        for (const ChartGroup &group : data.groups) {
            for (const ChartRow &row : group.rows) {
                QVERIFY(!row.measured && row.predicted);
                QVERIFY(!row.details.contains(QStringLiteral("measured")));
            }
        }
        const QString legend = comparisonLayout(data, {0, 0, 430, 900}, 1, true).legendItems.front().text;
        QVERIFY2(legend.startsWith(QStringLiteral("predicted for")), qPrintable(legend));
        // While nothing is predicted for the new settings the old numbers stay, and it is said that they are.
        frame.predicted.clear();
        QVERIFY(comparisonData(frame).stale);
        QCOMPARE(comparisonLayout(comparisonData(frame), {0, 0, 430, 900}, 1, true).legendItems.front().text,
                 QStringLiteral("measured for other settings"));
    }
    void nothingKnownIsSaid()
    {
        ComparisonFrame frame;
        frame.theme = &Theme::light();
        const ComparisonData data = comparisonData(frame);
        QCOMPARE(data.finding, QStringLiteral("No run yet"));
        QVERIFY(!groupOf(data, Metric::SentBytes).rows[0].shown());
    }

    void recordedIsNotCalledMeasured()
    {
        Sample sample;
        Run old = *sample.measured[Phase::Training];
        old.source = Source::Recorded;
        sample.measured = {{Phase::Training, std::make_shared<Run>(old)}};
        const ComparisonData data = comparisonData(sample.frame());
        QVERIFY(data.recorded);
        const ComparisonLayout layout = comparisonLayout(data, {0, 0, 1280, 720}, 1, true);
        QCOMPARE(layout.legendItems.front().text, QStringLiteral("recorded"));
    }
    void theEnginesWordsAreTypeset()
    {
        const ComparisonData data = comparisonData(Sample().frame());
        QVERIFY2(data.finding.contains(QStringLiteral("2×")), qPrintable(data.finding));
        for (const char *ascii : {"0x ", " us", ".0×"})
            QVERIFY2(!(data.finding + data.speedup).contains(QLatin1String(ascii)), ascii);
    }

    void layoutFitsEveryWidthAndScale()
    {
        const ComparisonData data = comparisonData(Sample().frame());
        for (const double unit : {1.0, 1.5, 2.5}) {
            for (const QSizeF design : {QSizeF(380, 760), QSizeF(430, 900), QSizeF(900, 700), QSizeF(1280, 720)}) {
                const QRectF area(QPointF(0, 0), design * unit);
                const ComparisonLayout layout = comparisonLayout(data, area, unit, true);
                QCOMPARE(layout.charts.size(), data.groups.size());
                QRectF last;
                for (const ChartLayout &chart : layout.charts) {
                    QVERIFY(area.contains(chart.title) && area.contains(chart.values));
                    QVERIFY(!chart.values.intersects(last));
                    QVERIFY(chart.bars.width() > 60 * unit && chart.rows.front().height() >= 14 * unit);
                    last = chart.values;
                }
                if (!layout.conclusion.isEmpty())
                    QVERIFY(!layout.conclusion.intersects(last) && area.contains(layout.conclusion));
            }
        }
    }
    void lettersShrinkRatherThanOverlap()
    {
        const ComparisonData data = comparisonData(Sample().frame());
        // Letters twice and four times as large as the slide has room for, and a slide that is a strip.
        for (const auto &[size, unit] : {std::pair(QSizeF(1180, 560), 2.0), std::pair(QSizeF(1180, 560), 4.0),
                                         std::pair(QSizeF(1800, 320), 1.5), std::pair(QSizeF(300, 400), 1.0)}) {
            const QRectF area(QPointF(0, 0), size);
            const ComparisonLayout layout = comparisonLayout(data, area, unit, true);
            QVERIFY(layout.unit < unit);
            for (std::size_t i = 0; i < layout.charts.size(); ++i) {
                const ChartLayout &chart = layout.charts[i];
                QVERIFY(area.contains(chart.title) && area.contains(chart.values));
                QVERIFY(!chart.values.intersects(layout.conclusion) && !chart.values.intersects(layout.title));
                for (std::size_t j = 0; j < i; ++j)
                    QVERIFY(!chart.values.intersects(layout.charts[j].values));
            }
        }
    }
    void aLongTitleGetsASecondLine()
    {
        ComparisonData data = comparisonData(Sample().frame());
        const QRectF area(0, 0, 430, 900);
        const double one = comparisonLayout(data, area, 1, true).charts[1].title.height();
        data.groups[1].title =
            QStringLiteral("Per token: decode communicates more than thirty-two times as long as a training step does");
        const ComparisonLayout layout = comparisonLayout(data, area, 1, true);
        QCOMPARE(layout.charts[1].title.height(), 2 * one);
        QVERIFY(layout.charts[1].title.bottom() <= layout.charts[1].quantity.top());
    }
    void mouseFindsTheBar()
    {
        const ComparisonData data = comparisonData(Sample().frame());
        const ComparisonLayout layout = comparisonLayout(data, {0, 0, 430, 900}, 1, true);
        const QRectF row = layout.charts[1].rows[2];
        QCOMPARE(placeAt(layout, row.center()), (ChartPlace{1, 2}));
        QVERIFY(!placeAt(layout, {-5, -5}));
        QVERIFY(!placeAt(layout, layout.charts[1].title.center()));
    }
    void keysReachEveryBar()
    {
        const Sample sample;
        ComparisonChart chart;
        chart.resize(430, 900);
        chart.setResults(sample.predicted, sample.measured, sample.one, false);
        QVERIFY(chart.focusPolicy() & Qt::TabFocus);
        QSet<QString> said;
        for (int i = 0; i < 20; ++i) {
            QTest::keyClick(&chart, Qt::Key_Down);
            said.insert(chart.accessibleDescription());
        }
        QCOMPARE(said.size(), 4 * 3 + 2);
        QVERIFY(chart.accessibleDescription().startsWith(QStringLiteral("Training, N = 4")));
        QTest::keyClick(&chart, Qt::Key_Up);
        QVERIFY(chart.accessibleDescription().startsWith(QStringLiteral("Training, N = 1")));
        chart.setPerToken(true);
        QVERIFY(chart.accessibleDescription().contains(chart.comparison().finding));
    }
    void widgetTellsItsFindingAndSwitches()
    {
        const Sample sample;
        ComparisonChart chart;
        chart.resize(430, 900);
        chart.setResults(sample.predicted, sample.measured, sample.one, false);
        QVERIFY(chart.accessibleDescription().contains(chart.comparison().finding));
        QSignalSpy spy(&chart, &ComparisonChart::perTokenChanged);
        QTest::keyClick(chart.findChild<QCheckBox *>(), Qt::Key_Space);
        QCOMPARE(spy.count(), 1);
        QVERIFY(chart.perToken());
        QVERIFY(chart.comparison().groups.front().title.startsWith(QStringLiteral("Per token")));
        chart.setResults({}, {}, nullptr, false);
        QCOMPARE(chart.comparison().finding, QStringLiteral("No run yet"));
    }
};

QTEST_MAIN(TestComparisonData)
#include "tst_comparison_data.moc"
