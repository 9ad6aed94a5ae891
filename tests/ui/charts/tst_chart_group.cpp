// SPDX-License-Identifier: GPL-3.0-or-later
// One chart: where its bars end, its ticks, and the finding over it.
#include "ui/charts/comparison_data.h"

#include <QTest>
#include <cmath>

using namespace shardscope;

namespace {

ChartGroup groupWith(Metric metric, const std::vector<double> &values)
{
    ChartGroup group;
    group.metric = metric;
    const char *labels[] = {"Training", "Prefill", "Decode"};
    for (std::size_t i = 0; i < values.size(); ++i) {
        ChartRow row;
        row.label = QString::fromLatin1(labels[i]);
        row.measured = ChartValue{values[i], {}, {}};
        group.rows.push_back(row);
    }
    scaleAxis(group);
    return group;
}

} // namespace

class TestChartGroup : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// Where the spreads overlap another run may turn them round.
    void noRatioOfWhatVariesMoreThanItDiffers()
    {
        ChartGroup group = groupWith(Metric::CommunicationTime, {32, 45, 7});
        const auto spread = [&](std::size_t row, double p10, double p90) {
            group.rows[row].measured->p10 = p10;
            group.rows[row].measured->p90 = p90;
        };
        spread(0, 15, 94);
        spread(1, 9, 103);
        QCOMPARE(chartTitle(group, false, 4), QStringLiteral("Training and prefill differ less than they vary"));
        spread(0, 15, 40); // prefill's median is clear of it, but not its fastest steps
        QCOMPARE(chartTitle(group, false, 4), QStringLiteral("Training and prefill differ less than they vary"));
        spread(1, 41, 103);
        QCOMPARE(chartTitle(group, false, 4), QStringLiteral("Prefill communicates 1.4\u00d7 as long as training"));
        group = groupWith(Metric::StepTime, {129, 140});
        spread(0, 110, 180);
        spread(1, 120, 150);
        QCOMPARE(chartTitle(group, false, 4), QStringLiteral("4 ranks and one differ less than they vary"));
    }
    /// Four ranks cannot be five times as fast as one: no factor is claimed of what was measured.
    void noFactorBeyondTheRanks()
    {
        ChartGroup group = groupWith(Metric::StepTime, {500, 100});
        const QString words = chartTitle(group, false, 4);
        QVERIFY2(words.contains(QStringLiteral("more than they can be")), qPrintable(words));
        QVERIFY(chartTitle(group, false, 8).contains(QStringLiteral("8 ranks are 5")));
        for (ChartRow &row : group.rows)
            std::swap(row.measured, row.predicted);
        QVERIFY(chartTitle(group, false, 4).contains(QStringLiteral("4 ranks are 5")));
    }
    void nothingSentIsSaid()
    {
        const ChartGroup group = groupWith(Metric::SentBytes, {3145728, 0, 0});
        QCOMPARE(group.place(0), 0.0);
        QCOMPARE(group.place(3145728), 1.0);
        QCOMPARE(group.title.isEmpty(), true);
        QCOMPARE(chartTitle(group, false, 4), QStringLiteral("Only training sends anything"));
        const ChartGroup nothing = groupWith(Metric::SentBytes, {0, 0, 0});
        QCOMPARE(chartTitle(nothing, false, 4), QStringLiteral("No phase sends anything"));
        QVERIFY(std::isfinite(nothing.place(0)));
    }
    /// A title that says 2x stands over bars of which one is twice as long.
    void barsAreAsLongAsTheirNumbers()
    {
        for (const Metric metric : {Metric::Collectives, Metric::SentBytes, Metric::CommunicationTime}) {
            const ChartGroup group = groupWith(metric, {2097152, 1048576, 16384});
            QCOMPARE(group.place(2097152), 1.0);
            QCOMPARE(group.place(1048576), 0.5);
            QCOMPARE(group.place(16384), 1.0 / 128);
        }
    }
    void ticksBeginAtZeroAndAreRound()
    {
        for (const double largest : {1.0, 24576.0, 3e6, 3145728.0, 5e10}) {
            const ChartGroup group = groupWith(Metric::SentBytes, {largest, largest / 2, 0});
            QVERIFY(group.ticks.size() >= 2 && group.ticks.size() <= 6);
            QCOMPARE(group.ticks.front().text, QStringLiteral("0"));
            for (const ChartTick &tick : group.ticks)
                QVERIFY(!tick.text.contains(QLatin1Char('.')) || largest < 8);
        }
        const ChartGroup bytes = groupWith(Metric::SentBytes, {3145728, 1572864, 24576});
        QCOMPARE(bytes.ticks.size(), std::size_t(4));
        QCOMPARE(bytes.ticks[1].text, QStringLiteral("1\u00a0MiB"));
    }
    void equalBarsAreCalledEqual()
    {
        QCOMPARE(chartTitle(groupWith(Metric::SentBytes, {8, 8, 8}), false, 4),
                 QStringLiteral("Training sends as many bytes as prefill"));
        QCOMPARE(chartTitle(groupWith(Metric::CommunicationTime, {4, 8, 1}), false, 4),
                 QStringLiteral("Prefill communicates 2× as long as training"));
        QCOMPARE(chartTitle(groupWith(Metric::StepTime, {4, 8}), false, 4),
                 QStringLiteral("4 ranks take 2× as long as one"));
        for (const double many : {0.97, 1.0, 1.04})
            QCOMPARE(chartTitle(groupWith(Metric::StepTime, {1, many}), false, 4),
                     QStringLiteral("4 ranks take as long as one"));
    }
    void aShareIsAPartOfTheWhole()
    {
        const ChartGroup group = groupWith(Metric::CommunicationShare, {0.2, 0.1, 0});
        QCOMPARE(group.place(0.2), 0.2);
        QCOMPARE(group.ticks.back().text, QStringLiteral("100\u00a0%"));
    }
};

QTEST_GUILESS_MAIN(TestChartGroup)
#include "tst_chart_group.moc"
