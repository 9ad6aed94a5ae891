// SPDX-License-Identifier: MIT
#include "engine/plan/hop_schedule.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace shardscope {
namespace {

constexpr bool kAdd = true;
constexpr bool kOverwrite = false;

bool isPowerOfTwo(int n)
{
    return std::has_single_bit(static_cast<unsigned>(n));
}

int modulo(int value, int n)
{
    return ((value % n) + n) % n;
}

/// In hop k rank r passes chunk r-1-k on to its right neighbour, which adds its own share: chunk r travels once round
/// the ring from r+1 and ends, complete, at rank r.
void ringReduceScatter(std::vector<Hop> &hops, int n)
{
    for (int k = 0; k < n - 1; ++k) {
        Hop hop;
        for (int r = 0; r < n; ++r)
            hop.push_back({r, (r + 1) % n, modulo(r - 1 - k, n), 1, kAdd});
        hops.push_back(std::move(hop));
    }
}

/// In hop k rank r passes on the chunk that it got last, its own first.
void ringAllGather(std::vector<Hop> &hops, int n)
{
    for (int k = 0; k < n - 1; ++k) {
        Hop hop;
        for (int r = 0; r < n; ++r)
            hop.push_back({r, (r + 1) % n, modulo(r - k, n), 1, kOverwrite});
        hops.push_back(std::move(hop));
    }
}

/// Recursive halving: partners at distance n/2, n/4, ..., 1 swap the half of their range that the other one keeps.
void halvingReduceScatter(std::vector<Hop> &hops, int n)
{
    for (int distance = n / 2; distance >= 1; distance /= 2) {
        Hop hop;
        for (int r = 0; r < n; ++r) {
            const int partner = r ^ distance;
            hop.push_back({r, partner, partner & ~(distance - 1), distance, kAdd});
        }
        hops.push_back(std::move(hop));
    }
}

/// Recursive doubling: partners at distance 1, 2, ..., n/2 swap all that they have.
void doublingAllGather(std::vector<Hop> &hops, int n)
{
    for (int distance = 1; distance < n; distance *= 2) {
        Hop hop;
        for (int r = 0; r < n; ++r)
            hop.push_back({r, r ^ distance, r & ~(distance - 1), distance, kOverwrite});
        hops.push_back(std::move(hop));
    }
}

/// Binomial tree: the sum climbs to rank 0, then comes down the same branches.
void binomialTree(std::vector<Hop> &hops, int n)
{
    int top = 1;
    for (; top < n; top *= 2) {
        Hop hop;
        for (int r = top; r < n; r += 2 * top)
            hop.push_back({r, r - top, 0, 1, kAdd});
        hops.push_back(std::move(hop));
    }
    for (int distance = top / 2; distance >= 1; distance /= 2) {
        Hop hop;
        for (int r = 0; r + distance < n; r += 2 * distance)
            hop.push_back({r, r + distance, 0, 1, kOverwrite});
        hops.push_back(std::move(hop));
    }
}

/// One hop: every rank sends every peer what that peer lacks.
Hop directHop(CollectiveOp op, int n)
{
    Hop hop;
    for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
            if (from == to)
                continue;
            if (op == CollectiveOp::AllGather)
                hop.push_back({from, to, from, 1, kOverwrite});
            else
                hop.push_back({from, to, op == CollectiveOp::ReduceScatter ? to : 0, 1, kAdd});
        }
    }
    return hop;
}

void addHops(HopSchedule &schedule)
{
    const int n = schedule.ranks;
    const bool reduces = schedule.op != CollectiveOp::AllGather;
    const bool gathers = schedule.op != CollectiveOp::ReduceScatter;
    switch (schedule.algorithm) {
    case Algorithm::Ring:
        if (reduces)
            ringReduceScatter(schedule.hops, n);
        if (gathers)
            ringAllGather(schedule.hops, n);
        return;
    case Algorithm::HalvingDoubling:
        if (reduces)
            halvingReduceScatter(schedule.hops, n);
        if (gathers)
            doublingAllGather(schedule.hops, n);
        return;
    case Algorithm::Tree:
        binomialTree(schedule.hops, n);
        return;
    case Algorithm::Direct:
        schedule.hops.push_back(directHop(schedule.op, n));
        return;
    case Algorithm::Library:
        return;
    }
}

/// Tree and one-hop all-reduce send the array whole.
bool sendsWhole(CollectiveOp op, Algorithm algorithm)
{
    return algorithm == Algorithm::Tree || (algorithm == Algorithm::Direct && op == CollectiveOp::AllReduce);
}

bool hasSchedule(CollectiveOp op)
{
    return op == CollectiveOp::AllReduce || op == CollectiveOp::AllGather || op == CollectiveOp::ReduceScatter;
}

/// The library runs everything.
bool canRun(CollectiveOp op, Algorithm algorithm, int ranks)
{
    if (algorithm == Algorithm::Library)
        return true;
    if (ranks > kMostHopRanks)
        return false;
    const bool fitsOp = hasSchedule(op) && (algorithm != Algorithm::Tree || op == CollectiveOp::AllReduce);
    return fitsOp && (algorithm != Algorithm::HalvingDoubling || isPowerOfTwo(ranks));
}

std::string algorithmsFor(CollectiveOp op, int ranks)
{
    std::vector<std::string> fitting;
    for (const Algorithm algorithm :
         {Algorithm::Library, Algorithm::Ring, Algorithm::Tree, Algorithm::Direct, Algorithm::HalvingDoubling}) {
        if (canRun(op, algorithm, ranks))
            fitting.emplace_back(name(algorithm));
    }
    return commaList(fitting);
}

/// What each rank holds before the first hop: a gather starts with the own chunk, a reduction with an addend of all.
Contributions initialContributions(const HopSchedule &schedule)
{
    const auto n = static_cast<std::size_t>(schedule.ranks);
    const auto chunks = static_cast<std::size_t>(schedule.chunks);
    Contributions held(n, std::vector<std::uint64_t>(chunks, 0));
    if (schedule.op == CollectiveOp::Broadcast || schedule.op == CollectiveOp::SendRecv) {
        held[0].assign(chunks, n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0}); // complete from the start
        return held;
    }
    for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t c = 0; c < chunks; ++c) {
            if (schedule.op != CollectiveOp::AllGather || c == r || n == 1)
                held[r][c] = std::uint64_t{1} << r;
        }
    }
    return held;
}

void apply(const Hop &hop, Contributions &held)
{
    const Contributions before = held;
    for (const Transfer &t : hop) {
        for (int c = t.firstChunk; c < t.firstChunk + t.chunkCount; ++c) {
            const auto chunk = static_cast<std::size_t>(c);
            const std::uint64_t arriving = before[static_cast<std::size_t>(t.from)][chunk];
            std::uint64_t &mine = held[static_cast<std::size_t>(t.to)][chunk];
            mine = t.accumulate ? mine | arriving : arriving;
        }
    }
}

} // namespace

std::optional<Text> algorithmProblem(CollectiveOp op, Algorithm algorithm, int ranks)
{
    if (canRun(op, algorithm, ranks))
        return std::nullopt;
    const std::string said(name(algorithm));
    const std::string allowed = algorithmsFor(op, ranks);
    if (!hasSchedule(op))
        return Text{TextId::AlgorithmHasNoSuchOp, {said, std::string(name(op)), allowed}};
    if (ranks > kMostHopRanks)
        return Text{TextId::AlgorithmTooManyRanks,
                    {said, std::to_string(ranks), std::to_string(kMostHopRanks), allowed}};
    if (algorithm == Algorithm::Tree)
        return Text{TextId::AlgorithmTreeAllReduceOnly, {said, std::string(name(op)), allowed}};
    return Text{TextId::AlgorithmNeedsPowerOfTwo, {said, std::to_string(ranks), allowed}};
}

Expected<HopSchedule> hopSchedule(CollectiveOp op, Algorithm algorithm, int ranks)
{
    if (algorithm == Algorithm::Library)
        return Text{TextId::LibraryHopsUnknown, {}};
    if (auto problem = algorithmProblem(op, algorithm, ranks))
        return *problem;
    HopSchedule schedule{op, algorithm, ranks, sendsWhole(op, algorithm) ? 1 : ranks, {}};
    if (ranks > 1)
        addHops(schedule);
    return schedule;
}

namespace {

/// One way of many: the sum climbs the binomial tree, or comes down from its root; a message has two ends.
std::optional<HopSchedule> drawnWithoutAlgorithm(CollectiveOp op, int ranks)
{
    const bool reduces = op == CollectiveOp::Reduce;
    if (!reduces && op != CollectiveOp::Broadcast && op != CollectiveOp::SendRecv)
        return std::nullopt;
    HopSchedule schedule{op, Algorithm::Tree, ranks, 1, {}};
    if (ranks < 2)
        return schedule;
    binomialTree(schedule.hops, ranks);
    const auto middle = schedule.hops.begin() + static_cast<std::ptrdiff_t>(schedule.hops.size() / 2);
    schedule.hops =
        reduces ? std::vector<Hop>(schedule.hops.begin(), middle) : std::vector<Hop>(middle, schedule.hops.end());
    return schedule;
}

} // namespace

DrawnSchedule drawnSchedule(const Collective &collective, int ranks)
{
    if (auto schedule = drawnWithoutAlgorithm(collective.op, ranks))
        return {std::move(*schedule), true};
    const bool schematic = collective.algorithm == Algorithm::Library;
    return {*hopSchedule(collective.op, schematic ? Algorithm::Ring : collective.algorithm, ranks), schematic};
}

std::int64_t sentElements(const HopSchedule &schedule, int rank, std::int64_t elements)
{
    return sentElementsByRank(schedule, elements)[static_cast<std::size_t>(rank)];
}

HopElements elementsOfHop(const HopSchedule &schedule, const Hop &hop, std::int64_t elements)
{
    const auto beginOf = [&](int chunk) { return sliceOf(elements, chunk, schedule.chunks).begin; };
    const auto ranks = static_cast<std::size_t>(schedule.ranks);
    HopElements moved{std::vector<std::int64_t>(ranks, 0), std::vector<std::int64_t>(ranks, 0)};
    for (const Transfer &t : hop) {
        const std::int64_t length = beginOf(t.firstChunk + t.chunkCount) - beginOf(t.firstChunk);
        moved.sent[static_cast<std::size_t>(t.from)] += length;
        moved.received[static_cast<std::size_t>(t.to)] += length;
    }
    return moved;
}

std::vector<std::int64_t> sentElementsByRank(const HopSchedule &schedule, std::int64_t elements)
{
    std::vector<std::int64_t> sent(static_cast<std::size_t>(schedule.ranks), 0);
    for (const Hop &hop : schedule.hops) {
        const HopElements moved = elementsOfHop(schedule, hop, elements);
        std::transform(sent.begin(), sent.end(), moved.sent.begin(), sent.begin(), std::plus<>());
    }
    return sent;
}

std::vector<std::int64_t> ringSentElements(CollectiveOp op, int ranks, std::int64_t elements)
{
    std::vector<std::int64_t> sent(static_cast<std::size_t>(ranks), 0);
    if (ranks < 2)
        return sent;
    const auto length = [&](int chunk) { return sliceOf(elements, chunk % ranks, ranks).length; };
    for (int rank = 0; rank < ranks; ++rank) {
        std::int64_t &all = sent[static_cast<std::size_t>(rank)];
        if (op != CollectiveOp::AllGather) // never its own, which arrives last
            all += elements - length(rank);
        if (op != CollectiveOp::ReduceScatter) // never its neighbour's, which that one has
            all += elements - length(rank + 1);
    }
    return sent;
}

Contributions contributionsAfter(const HopSchedule &schedule, int hops)
{
    Contributions held = initialContributions(schedule);
    for (int i = 0; i < hops; ++i)
        apply(schedule.hops[static_cast<std::size_t>(i)], held);
    return held;
}

} // namespace shardscope
