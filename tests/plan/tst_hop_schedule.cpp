// SPDX-License-Identifier: MIT
#include "engine/plan/hop_schedule.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/traffic.h"

#include <QTest>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

using namespace shardscope;

namespace {

constexpr std::array kOps{CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter};
constexpr std::array kAlgorithms{Algorithm::Ring, Algorithm::Tree, Algorithm::Direct, Algorithm::HalvingDoubling};

std::uint64_t maskOf(int rank)
{
    return std::uint64_t{1} << rank;
}

std::uint64_t allRanks(int ranks)
{
    return ranks == 64 ? ~std::uint64_t{0} : maskOf(ranks) - 1;
}

/// Calls `f` with every schedule that exists.
template <typename F>
void forEverySchedule(F f)
{
    for (const CollectiveOp op : kOps) {
        for (const Algorithm algorithm : kAlgorithms) {
            for (int ranks = 1; ranks <= kMostHopRanks; ++ranks) {
                if (const auto schedule = hopSchedule(op, algorithm, ranks))
                    f(*schedule);
            }
        }
    }
}

QByteArray label(const HopSchedule &s)
{
    return QByteArray::fromStdString(std::string(name(s.op)) + " " + std::string(name(s.algorithm)) +
                                     " N=" + std::to_string(s.ranks));
}

/// Bytes each rank sends of S elements: the closed forms of the literature, for S divisible by N.
std::int64_t formula(const HopSchedule &s, std::int64_t size)
{
    const std::int64_t n = s.ranks;
    const bool allReduce = s.op == CollectiveOp::AllReduce;
    switch (s.algorithm) {
    case Algorithm::Ring:
    case Algorithm::HalvingDoubling:
        return (allReduce ? 2 : 1) * (n - 1) * (size / n);
    case Algorithm::Direct:
        return (n - 1) * (allReduce ? size : size / n);
    case Algorithm::Tree: {
        // Rank 0 sends one copy down per level; a rank inside sends its sum up and feeds its own branch below.
        std::int64_t most = 0;
        for (std::int64_t r = 0; r < n; ++r) {
            std::int64_t sends = r > 0 ? 1 : 0;
            const std::int64_t branch = r == 0 ? n : r & -r;
            for (std::int64_t d = 1; d < branch && r + d < n; d *= 2)
                ++sends;
            most = std::max(most, sends);
        }
        return most * size;
    }
    case Algorithm::Library:
        break;
    }
    return -1;
}

int log2Up(int n)
{
    return n == 1 ? 0 : std::bit_width(static_cast<unsigned>(n - 1));
}

int hopFormula(const HopSchedule &s)
{
    const int phases = s.op == CollectiveOp::AllReduce ? 2 : 1;
    switch (s.algorithm) {
    case Algorithm::Ring:
        return phases * (s.ranks - 1);
    case Algorithm::HalvingDoubling:
        return phases * log2Up(s.ranks);
    case Algorithm::Tree:
        return 2 * log2Up(s.ranks);
    case Algorithm::Direct:
        return s.ranks == 1 ? 0 : 1;
    case Algorithm::Library:
        break;
    }
    return -1;
}

/// After the last hop every rank holds, of every chunk that is its due, exactly the contributions promised.
bool keepsItsPromise(const HopSchedule &s)
{
    const Contributions held = contributionsAfter(s, static_cast<int>(s.hops.size()));
    for (int r = 0; r < s.ranks; ++r) {
        for (int c = 0; c < s.chunks; ++c) {
            const bool due = s.op != CollectiveOp::ReduceScatter || c == r;
            const std::uint64_t promised = s.op == CollectiveOp::AllGather ? maskOf(c) : allRanks(s.ranks);
            if (due && held[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] != promised)
                return false;
        }
    }
    return true;
}

bool isInRange(const HopSchedule &s, const Transfer &t)
{
    const bool ranks = t.from != t.to && t.from >= 0 && t.from < s.ranks && t.to >= 0 && t.to < s.ranks;
    return ranks && t.chunkCount >= 1 && t.firstChunk >= 0 && t.firstChunk + t.chunkCount <= s.chunks;
}

/// Two arrivals in one place may only be addends, whose order the rank order fixes.
bool isConsistent(const HopSchedule &s, const Hop &hop)
{
    std::map<std::pair<int, int>, bool> written; // (rank, chunk) -> accumulates
    for (const Transfer &t : hop) {
        if (!isInRange(s, t))
            return false;
        for (int c = t.firstChunk; c < t.firstChunk + t.chunkCount; ++c) {
            const auto [earlier, first] = written.insert({{t.to, c}, t.accumulate});
            if (!first && !(earlier->second && t.accumulate))
                return false;
        }
    }
    return !hop.empty();
}

/// Nobody sends what it does not have, and no addend arrives where it is already inside.
bool addsOnlyWhatIsMissing(const HopSchedule &s)
{
    Contributions held = contributionsAfter(s, 0);
    for (const Hop &hop : s.hops) {
        const Contributions before = held;
        for (const Transfer &t : hop) {
            for (int c = t.firstChunk; c < t.firstChunk + t.chunkCount; ++c) {
                const std::uint64_t arriving = before[static_cast<std::size_t>(t.from)][static_cast<std::size_t>(c)];
                std::uint64_t &mine = held[static_cast<std::size_t>(t.to)][static_cast<std::size_t>(c)];
                if (arriving == 0 || (t.accumulate && (mine & arriving) != 0))
                    return false;
                mine = t.accumulate ? mine | arriving : arriving;
            }
        }
    }
    return true;
}

using Numbers = std::vector<std::vector<long>>; // [rank][chunk]

/// Plays a schedule on numbers as the header prescribes: sends are read before arrivals change them.
Numbers played(const HopSchedule &s, Numbers held)
{
    for (const Hop &hop : s.hops) {
        const Numbers before = held;
        for (const Transfer &t : hop) {
            for (int c = t.firstChunk; c < t.firstChunk + t.chunkCount; ++c) {
                const long value = before[static_cast<std::size_t>(t.from)][static_cast<std::size_t>(c)];
                long &mine = held[static_cast<std::size_t>(t.to)][static_cast<std::size_t>(c)];
                mine = t.accumulate ? mine + value : value;
            }
        }
    }
    return held;
}

bool sumsNumbers(const HopSchedule &s)
{
    const auto n = static_cast<std::size_t>(s.ranks);
    const auto chunks = static_cast<std::size_t>(s.chunks);
    Numbers start(n, std::vector<long>(chunks));
    std::vector<long> sums(chunks, 0);
    for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t c = 0; c < chunks; ++c)
            sums[c] += start[r][c] = static_cast<long>(r * 1000 + c * 7 + 1);
    }
    const Numbers end = played(s, start);
    for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t c = 0; c < chunks; ++c) {
            const bool due = s.op != CollectiveOp::ReduceScatter || c == r;
            if (due && end[r][c] != (s.op == CollectiveOp::AllGather ? start[c][c] : sums[c]))
                return false;
        }
    }
    return true;
}

} // namespace

class TestHopSchedule : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void existsExactlyWhereAllowed();
    void everyRankEndsWithWhatTheCollectivePromises();
    void everyHopIsConsistent();
    void noContributionIsAddedTwice();
    void whatIsSentIsReceived();
    void bytesAddUpToTheFormula();
    void hopsAddUpToTheFormula();
    void unevenChunksLoseNothing();
    void ringsAreCountedWithoutTheirHops();
    void manyRanksHaveNoListedHops();
    void theLibraryIsDrawnAsARing();
    void aRealSumComesOut();
};

void TestHopSchedule::existsExactlyWhereAllowed()
{
    for (const CollectiveOp op : kOps) {
        for (const Algorithm algorithm : kAlgorithms) {
            for (int n = 1; n <= kMostHopRanks; ++n) {
                const bool powerOfTwo = std::has_single_bit(static_cast<unsigned>(n));
                const bool allowed = (algorithm != Algorithm::Tree || op == CollectiveOp::AllReduce) &&
                                     (algorithm != Algorithm::HalvingDoubling || powerOfTwo);
                QCOMPARE(hopSchedule(op, algorithm, n).ok(), allowed);
                QCOMPARE(!algorithmProblem(op, algorithm, n).has_value(), allowed);
            }
        }
        QVERIFY(hopSchedule(op, Algorithm::Library, 4).problem().id == TextId::LibraryHopsUnknown);
        QVERIFY(!algorithmProblem(op, Algorithm::Library, 3));
    }
    QCOMPARE(english(*algorithmProblem(CollectiveOp::Broadcast, Algorithm::Ring, 2)),
             "--algorithm ring: it cannot run broadcast; allowed: library");
}

void TestHopSchedule::whatIsSentIsReceived()
{
    forEverySchedule([](const HopSchedule &s) {
        const std::int64_t size = std::int64_t{s.ranks} * 1000 + 7; // uneven chunks
        std::vector<std::int64_t> sent(static_cast<std::size_t>(s.ranks), 0);
        for (const Hop &hop : s.hops) {
            const HopElements moved = elementsOfHop(s, hop, size);
            std::int64_t balance = 0;
            for (std::size_t r = 0; r < sent.size(); ++r) {
                sent[r] += moved.sent[r];
                balance += moved.sent[r] - moved.received[r];
            }
            QVERIFY2(balance == 0, label(s));
        }
        QVERIFY2(sent == sentElementsByRank(s, size), label(s));
    });
    // Rank 1 of 4 in a direct all-reduce: all of the array to three peers, and three addends at once.
    const auto direct = *hopSchedule(CollectiveOp::AllReduce, Algorithm::Direct, 4);
    QCOMPARE(elementsOfHop(direct, direct.hops[0], 100).sent[1], 300);
    QCOMPARE(elementsOfHop(direct, direct.hops[0], 100).received[1], 300);
    // In a tree's first hop rank 1 only sends and rank 0 only receives.
    const auto tree = *hopSchedule(CollectiveOp::AllReduce, Algorithm::Tree, 4);
    QCOMPARE(elementsOfHop(tree, tree.hops[0], 100).sent, (std::vector<std::int64_t>{0, 100, 0, 100}));
    QCOMPARE(elementsOfHop(tree, tree.hops[0], 100).received, (std::vector<std::int64_t>{100, 0, 100, 0}));
}

void TestHopSchedule::everyRankEndsWithWhatTheCollectivePromises()
{
    int seen = 0;
    forEverySchedule([&](const HopSchedule &s) {
        ++seen;
        QVERIFY2(keepsItsPromise(s), label(s));
    });
    QCOMPARE(seen, 3 * 64 + 64 + 3 * 64 + 3 * 7); // ring, tree, direct, halving-doubling
}

void TestHopSchedule::everyHopIsConsistent()
{
    forEverySchedule([](const HopSchedule &s) {
        QVERIFY2(std::all_of(s.hops.begin(), s.hops.end(), [&](const Hop &hop) { return isConsistent(s, hop); }),
                 label(s));
    });
}

void TestHopSchedule::noContributionIsAddedTwice()
{
    forEverySchedule([](const HopSchedule &s) { QVERIFY2(addsOnlyWhatIsMissing(s), label(s)); });
}

void TestHopSchedule::bytesAddUpToTheFormula()
{
    forEverySchedule([](const HopSchedule &s) {
        const std::int64_t size = std::int64_t{s.ranks} * 1000;
        QVERIFY2(sentBytesPerRank(s.op, s.algorithm, s.ranks, size, 1) == formula(s, size), label(s));
        QVERIFY2(sentBytesPerRank(s.op, s.algorithm, s.ranks, size, 4) == 4 * formula(s, size), label(s));
    });
}

void TestHopSchedule::hopsAddUpToTheFormula()
{
    forEverySchedule(
        [](const HopSchedule &s) { QVERIFY2(static_cast<int>(s.hops.size()) == hopFormula(s), label(s)); });
}

void TestHopSchedule::unevenChunksLoseNothing()
{
    // All chunks but the own one leave a rank in a ring's reduce-scatter, and nothing is lost by rounding.
    QVERIFY(rc::check("ring reduce-scatter sends all but the rank's own chunk", [] {
        const int n = *rc::gen::inRange(1, kMostHopRanks + 1);
        const std::int64_t size = *rc::gen::inRange<std::int64_t>(0, 100'000);
        const auto schedule = *hopSchedule(CollectiveOp::ReduceScatter, Algorithm::Ring, n);
        for (int r = 0; r < n; ++r) {
            const std::int64_t own = n == 1 ? size : sliceOf(size, r, n).length;
            RC_ASSERT(sentElements(schedule, r, size) == size - own);
        }
    }));
    QVERIFY(rc::check("what arrives in a direct all-gather is the whole array", [] {
        const int n = *rc::gen::inRange(2, kMostHopRanks + 1);
        const std::int64_t size = *rc::gen::inRange<std::int64_t>(0, 100'000);
        const auto schedule = *hopSchedule(CollectiveOp::AllGather, Algorithm::Direct, n);
        std::int64_t sent = 0;
        for (int r = 0; r < n; ++r)
            sent += sentElements(schedule, r, size);
        RC_ASSERT(sent == (n - 1) * size);
    }));
}

void TestHopSchedule::ringsAreCountedWithoutTheirHops()
{
    QVERIFY(rc::check("each rank sends what the listed hops say", [] {
        const int n = *rc::gen::inRange(1, kMostHopRanks + 1);
        const std::int64_t size = *rc::gen::inRange<std::int64_t>(0, 100'000);
        for (const CollectiveOp op : kOps)
            RC_ASSERT(ringSentElements(op, n, size) == sentElementsByRank(*hopSchedule(op, Algorithm::Ring, n), size));
    }));
    // 2(N-1)/N of an array that all share evenly, however many they are.
    for (const int n : {128, 16'384}) {
        const auto sent = ringSentElements(CollectiveOp::AllReduce, n, std::int64_t{n} * 1000);
        QCOMPARE(sent, std::vector<std::int64_t>(static_cast<std::size_t>(n), std::int64_t{2} * (n - 1) * 1000));
        QCOMPARE(sentBytesPerRank(CollectiveOp::AllGather, Algorithm::Library, n, std::int64_t{n} * 1000, 2),
                 std::int64_t{n - 1} * 2000);
    }
}

void TestHopSchedule::manyRanksHaveNoListedHops()
{
    for (const Algorithm algorithm : kAlgorithms) {
        QVERIFY(hopSchedule(CollectiveOp::AllReduce, algorithm, kMostHopRanks));
        const auto refused = algorithmProblem(CollectiveOp::AllReduce, algorithm, 2 * kMostHopRanks);
        QVERIFY(refused);
        QCOMPARE(QString::fromStdString(english(*refused)),
                 QString("--algorithm %1: its hops are listed one by one, for groups of at most 64 ranks, and one here "
                         "has 128; allowed: library")
                     .arg(QString::fromStdString(std::string(name(algorithm)))));
    }
}

void TestHopSchedule::theLibraryIsDrawnAsARing()
{
    for (const int n : {1, 2, 3, 8, 64}) {
        Collective c;
        const DrawnSchedule drawn = drawnSchedule(c, n);
        QVERIFY(drawn.schematic);
        QVERIFY(drawn.schedule.algorithm == Algorithm::Ring);
        QCOMPARE(static_cast<int>(drawn.schedule.hops.size()), 2 * (n - 1));
        c.algorithm = Algorithm::Tree;
        QVERIFY(!drawnSchedule(c, n).schematic);
        QVERIFY(drawnSchedule(c, n).schedule.algorithm == Algorithm::Tree);
    }
}

void TestHopSchedule::aRealSumComesOut()
{
    forEverySchedule([](const HopSchedule &s) { QVERIFY2(sumsNumbers(s), label(s)); });
}

QTEST_GUILESS_MAIN(TestHopSchedule)
#include "tst_hop_schedule.moc"
