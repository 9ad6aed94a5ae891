// SPDX-License-Identifier: MIT
// The arithmetic under the statistics: percentiles, bus factors, intervals.
#include "engine/record/statistics.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

} // namespace

class TestDistribution : public QObject
{
    Q_OBJECT

private slots:
    void distributionIsLinearBetweenOrderStatistics()
    {
        QVERIFY(!distributionOf({}));
        const auto one = distributionOf({7});
        QCOMPARE(one->median, 7.0);
        QCOMPARE(one->p10, 7.0);
        QCOMPARE(one->p90, 7.0);
        const auto four = distributionOf({4, 1, 3, 2});
        QCOMPARE(four->median, 2.5);
        QVERIFY(near(four->p10, 1.3));
        QVERIFY(near(four->p90, 3.7));
        QCOMPARE(four->samples, 4);
        QVERIFY(rc::check("p10 <= median <= p90, all between minimum and maximum", [] {
            const auto samples = *rc::gen::nonEmpty<std::vector<int>>();
            std::vector<double> reals(samples.begin(), samples.end());
            const auto d = *distributionOf(reals);
            const auto [low, high] = std::minmax_element(reals.begin(), reals.end());
            RC_ASSERT(*low <= d.p10 && d.p10 <= d.median && d.median <= d.p90 && d.p90 <= *high);
        }));
    }

    void busFactorsAreNcclTests_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("factor");
        const auto row = [](const char *op, int ranks, double factor) {
            QTest::newRow((std::string(op) + std::to_string(ranks)).c_str()) << op << ranks << factor;
        };
        row("all_reduce", 2, 1.0);
        row("all_reduce", 4, 1.5);
        row("all_reduce", 8, 1.75);
        row("all_gather", 2, 0.5);
        row("all_gather", 4, 0.75);
        row("all_gather", 8, 0.875);
        row("reduce_scatter", 2, 0.5);
        row("reduce_scatter", 4, 0.75);
        row("reduce_scatter", 8, 0.875);
        row("broadcast", 8, 1);
        row("send_recv", 2, 1);
    }
    void busFactorsAreNcclTests()
    {
        QFETCH(QString, op);
        QFETCH(int, ranks);
        QFETCH(double, factor);
        QCOMPARE(*busFactor(op.toStdString(), ranks), factor);
        QVERIFY(!busFactor(op.toStdString(), 1)); // "n/a, one rank", never 0 or inf
    }

    void unionAndCover_data()
    {
        using Set = std::vector<Interval>;
        QTest::addColumn<std::vector<Interval>>("a");
        QTest::addColumn<std::vector<Interval>>("b");
        QTest::addColumn<qint64>("unionOfA");
        QTest::addColumn<qint64>("covered");
        const auto row = [](const char *name, const Set &a, const Set &b, qint64 length, qint64 covered) {
            QTest::newRow(name) << a << b << length << covered;
        };
        row("nothing", {}, {}, 0, 0);
        row("empty intervals", {{5, 5}, {7, 6}}, {{0, 10}}, 0, 0);
        row("disjoint", {{0, 10}, {20, 30}}, {{10, 20}}, 20, 0);
        row("nested", {{0, 100}, {10, 20}}, {{30, 40}}, 100, 10);
        row("overlapping", {{0, 10}, {5, 15}}, {{12, 99}}, 15, 3);
        row("touching", {{0, 10}, {10, 20}}, {{5, 15}}, 20, 10);
        row("unsorted", {{20, 30}, {0, 10}}, {{25, 40}, {-5, 2}}, 20, 7);
        row("same", {{0, 10}}, {{0, 10}}, 10, 10);
        row("many small in one", {{0, 100}}, {{0, 1}, {10, 12}, {11, 13}, {99, 200}}, 100, 5);
    }
    void unionAndCover()
    {
        QFETCH(std::vector<Interval>, a);
        QFETCH(std::vector<Interval>, b);
        QFETCH(qint64, unionOfA);
        QFETCH(qint64, covered);
        QCOMPARE(static_cast<qint64>(unionLength(a)), unionOfA);
        QCOMPARE(static_cast<qint64>(coveredLength(a, b)), covered);
        QCOMPARE(static_cast<qint64>(coveredLength(b, a)), covered);
    }

    void coverAgreesWithCountingTicks()
    {
        QVERIFY(rc::check("union and cover equal what counting every tick gives", [] {
            const auto intervals = [] {
                std::vector<Interval> made;
                const int count = *rc::gen::inRange(0, 8);
                for (int i = 0; i < count; ++i) {
                    const std::int64_t begin = *rc::gen::inRange<std::int64_t>(0, 60);
                    made.push_back({begin, begin + *rc::gen::inRange<std::int64_t>(0, 20)});
                }
                return made;
            };
            const auto a = intervals();
            const auto b = intervals();
            const auto inside = [](const std::vector<Interval> &set, std::int64_t tick) {
                return std::any_of(set.begin(), set.end(),
                                   [tick](const Interval &i) { return i.begin <= tick && tick < i.end; });
            };
            std::int64_t length = 0;
            std::int64_t covered = 0;
            for (std::int64_t tick = 0; tick < 100; ++tick) {
                length += inside(a, tick);
                covered += inside(a, tick) && inside(b, tick);
            }
            RC_ASSERT(unionLength(a) == length);
            RC_ASSERT(coveredLength(a, b) == covered);
        }));
    }
};

QTEST_GUILESS_MAIN(TestDistribution)
#include "tst_distribution.moc"
