// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/time_axis.h"

#include <QtTest>
#include <cmath>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

constexpr double kMillisecond = 1e6;

/// A view somewhere in a step of 1 ns to about 100 s.
struct Sample {
    double duration;
    TimeRange view;
};

Sample anySample()
{
    const double duration = std::pow(10, *rc::gen::inRange(0, 110) / 10.0);
    const TimeRange whole = wholeView(duration);
    const double a = whole.begin + whole.size() * *rc::gen::inRange(0, 1000) / 1000.0;
    const double b = whole.begin + whole.size() * *rc::gen::inRange(0, 1000) / 1000.0;
    return {duration, clampedView({std::min(a, b), std::max(a, b)}, duration)};
}

bool inside(const TimeRange &view, double duration)
{
    const TimeRange whole = wholeView(duration);
    const double slack = 1e-9 * whole.size();
    return view.begin >= whole.begin - slack && view.end <= whole.end + slack;
}

} // namespace

class TestTimeAxis : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void ticksAreNiceAndNamed()
    {
        const TimeTicks ticks = timeTicks({0, 12 * kMillisecond}, 6);
        QCOMPARE(ticks.unit, QStringLiteral("ms"));
        QCOMPARE(ticks.step, 2 * kMillisecond);
        QCOMPARE(ticks.labels, (std::vector<QString>{"0", "2", "4", "6", "8", "10", "12"}));
    }
    void unitsFollowTheRange()
    {
        QCOMPARE(timeTicks({0, 50}, 5).unit, QStringLiteral("ns"));
        QCOMPARE(timeTicks({0, 5'000}, 5).unit, QStringLiteral("µs"));
        QCOMPARE(timeTicks({0, 5'000'000}, 5).unit, QStringLiteral("ms"));
        QCOMPARE(timeTicks({0, 5'000'000'000}, 5).unit, QStringLiteral("s"));
    }
    void zoomedLabelsKeepTheirDecimals()
    {
        const TimeTicks ticks = timeTicks({11 * kMillisecond, 11 * kMillisecond + 10'000}, 5);
        QCOMPARE(ticks.labels.at(1), QStringLiteral("11.002"));
        QVERIFY(!ticks.labels.at(1).contains(QLatin1Char(',')));
    }
    void neverDenserThanAsked()
    {
        QVERIFY(rc::check([] {
            const Sample sample = anySample();
            const int maximum = *rc::gen::inRange(2, 30);
            const TimeTicks ticks = timeTicks(sample.view, maximum);
            RC_ASSERT(ticks.at.size() <= static_cast<std::size_t>(maximum) + 1);
            RC_ASSERT(ticks.at.size() == ticks.labels.size());
            for (std::size_t i = 1; i < ticks.at.size(); ++i) {
                RC_ASSERT(ticks.at[i] > ticks.at[i - 1]);
                RC_ASSERT(ticks.labels[i] != ticks.labels[i - 1]);
            }
        }));
    }
    void emptyRangesHaveNoTicks()
    {
        QVERIFY(timeTicks({5, 5}, 5).at.empty());
        QVERIFY(timeTicks({0, 1}, 0).at.empty());
    }
    void zoomKeepsTheAnchor()
    {
        const double duration = 10 * kMillisecond;
        const TimeRange view = zoomedView({2e6, 6e6}, 0.5, 3e6, duration);
        QCOMPARE(view.size(), 2e6);
        QCOMPARE((3e6 - view.begin) / view.size(), 0.25);
    }
    void zoomAndPanNeverLeaveTheStep()
    {
        QVERIFY(rc::check([] {
            const Sample sample = anySample();
            const double factor = std::pow(2, *rc::gen::inRange(-40, 40));
            const double anchor = sample.view.begin + sample.view.size() * *rc::gen::inRange(-5, 15) / 10.0;
            const TimeRange zoomed = zoomedView(sample.view, factor, anchor, sample.duration);
            RC_ASSERT(inside(zoomed, sample.duration));
            RC_ASSERT(zoomed.size() >= kShortestView * (1 - 1e-6));
            const TimeRange panned = pannedView(zoomed, *rc::gen::inRange(-1000, 1000) * 1e7, sample.duration);
            RC_ASSERT(inside(panned, sample.duration));
            RC_ASSERT(std::abs(panned.size() - zoomed.size()) <= 1e-6 * zoomed.size());
        }));
    }
    void zoomIsBounded()
    {
        TimeRange view = wholeView(kMillisecond);
        for (int i = 0; i < 500; ++i)
            view = zoomedView(view, 0.8, 4e5, kMillisecond);
        QCOMPARE(view.size(), kShortestView);
        QVERIFY(view.begin <= 4e5 && view.end >= 4e5);
        for (int i = 0; i < 500; ++i)
            view = zoomedView(view, 1.25, 4e5, kMillisecond);
        QCOMPARE(view, wholeView(kMillisecond));
    }
    void selectionHasRoomAround()
    {
        const TimeRange view = selectionView({4e5, 5e5}, kMillisecond);
        QVERIFY(view.begin < 4e5 && view.end > 5e5 && view.size() < 2e5);
        QVERIFY(inside(selectionView({0, kMillisecond}, kMillisecond), kMillisecond));
    }
    void nonsenseGivesTheWholeStep() { QCOMPARE(clampedView({NAN, 5}, 1000), wholeView(1000)); }
};

QTEST_GUILESS_MAIN(TestTimeAxis)
#include "tst_time_axis.moc"
