// SPDX-License-Identifier: MIT
#include "engine/record/traffic_matrix.h"

#include "engine/record/collective_groups.h"
#include "engine/record/timed_iterations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace shardscope {
namespace {

std::size_t at(int place)
{
    return static_cast<std::size_t>(place);
}

/// Elements from place to place of one group.
TrafficMatrix elementsWithin(const Collective &collective, int ranks)
{
    const HopSchedule schedule = countedSchedule(collective, ranks);
    const auto beginOf = [&](int chunk) { return sliceOf(collective.elements, chunk, schedule.chunks).begin; };
    TrafficMatrix elements(ranks);
    for (const Hop &hop : schedule.hops) {
        for (const Transfer &t : hop)
            elements.add(t.from, t.to, beginOf(t.firstChunk + t.chunkCount) - beginOf(t.firstChunk));
    }
    return elements;
}

void addGroup(TrafficMatrix &matrix, const TrafficMatrix &elements, const std::vector<int> &group, int elementBytes)
{
    for (int from = 0; from < elements.ranks(); ++from) {
        for (int to = 0; to < elements.ranks(); ++to)
            matrix.add(group[at(from)], group[at(to)], elements.bytes(from, to) * elementBytes);
    }
}

} // namespace

TrafficMatrix::TrafficMatrix(int ranks) : m_ranks(ranks), m_bytes(at(ranks) * at(ranks), 0) {}

std::int64_t TrafficMatrix::sentBy(int rank) const
{
    const auto row = m_bytes.begin() + static_cast<std::ptrdiff_t>(index(rank, 0));
    return std::accumulate(row, row + m_ranks, std::int64_t{0});
}

std::int64_t TrafficMatrix::receivedBy(int rank) const
{
    std::int64_t sum = 0;
    for (int from = 0; from < m_ranks; ++from)
        sum += bytes(from, rank);
    return sum;
}

std::int64_t TrafficMatrix::total() const
{
    return std::accumulate(m_bytes.begin(), m_bytes.end(), std::int64_t{0});
}

std::int64_t TrafficMatrix::largest() const
{
    return m_bytes.empty() ? 0 : *std::ranges::max_element(m_bytes);
}

TrafficMatrix trafficMatrix(const Plan &plan, std::optional<MeshAxis> axis)
{
    // Layers and micro-batches repeat the same collective many times.
    std::map<std::tuple<CollectiveOp, Algorithm, int, std::int64_t>, TrafficMatrix> known;
    TrafficMatrix matrix(plan.mesh().size());
    for (const Step &step : plan.steps) {
        if (!communicates(plan, step) || (axis && step.collective->axis != *axis))
            continue;
        const Collective &c = *step.collective;
        const int ranks = plan.groupSize(c);
        const auto key = std::tuple(c.op, c.algorithm, ranks, c.elements);
        auto found = known.find(key);
        if (found == known.end())
            found = known.emplace(key, elementsWithin(c, ranks)).first;
        for (const std::vector<int> &group : groupsOf(plan, step))
            addGroup(matrix, found->second, group, bytesOf(c.wireDtype));
    }
    return matrix;
}

CountedPaths countedPaths(const Plan &plan, std::optional<MeshAxis> axis)
{
    CountedPaths paths;
    for (const Step &step : plan.steps) {
        if (!communicates(plan, step) || (axis && step.collective->axis != *axis))
            continue;
        const Collective &c = *step.collective;
        if (c.op == CollectiveOp::SendRecv)
            paths.messages = true;
        else if (c.op == CollectiveOp::Reduce || c.op == CollectiveOp::Broadcast)
            paths.asChain = true;
        else
            (c.algorithm == Algorithm::Library ? paths.asRing : paths.ownHops) = true;
    }
    return paths;
}

namespace {

/// By place of the group.
std::vector<std::int64_t> sentElementsByPlace(const Collective &c, int ranks)
{
    const bool ring =
        c.op == CollectiveOp::AllReduce || c.op == CollectiveOp::AllGather || c.op == CollectiveOp::ReduceScatter;
    if (ring && c.algorithm == Algorithm::Library)
        return ringSentElements(c.op, ranks, c.elements);
    return sentElementsByRank(countedSchedule(c, ranks), c.elements);
}

} // namespace

std::vector<std::int64_t> sentBytesByRank(const Plan &plan, const Step &step)
{
    std::vector<std::int64_t> sent(at(plan.mesh().size()), 0);
    if (!communicates(plan, step))
        return sent;
    const Collective &c = *step.collective;
    const auto elements = sentElementsByPlace(c, plan.groupSize(c));
    for (const std::vector<int> &group : groupsOf(plan, step)) {
        for (std::size_t place = 0; place < group.size(); ++place)
            sent[at(group[place])] = elements[place] * bytesOf(c.wireDtype);
    }
    return sent;
}

bool ObservedTraffic::agreesWith(const TrafficMatrix &matrix) const
{
    for (int rank = 0; rank < matrix.ranks(); ++rank) {
        if (least[at(rank)] != matrix.sentBy(rank) || most[at(rank)] != matrix.sentBy(rank))
            return false;
    }
    return true;
}

std::optional<ObservedTraffic> observedTraffic(const Run &run, std::optional<MeshAxis> axis)
{
    const TimedIterations iterations(run);
    if (run.isPrediction() || iterations.count() == 0)
        return std::nullopt;
    const auto counts = [&](const SpanEvent &span) {
        const auto &collective = run.plan.steps[at(span.step)].collective;
        return !axis || (collective && collective->axis == *axis);
    };
    ObservedTraffic observed;
    observed.steps = iterations.count();
    for (int rank = 0; rank < iterations.ranks(); ++rank) {
        std::vector<std::int64_t> sums;
        for (int iteration = 0; iteration < iterations.count(); ++iteration) {
            std::int64_t sum = 0;
            for (const SpanEvent *span : iterations.spans(iteration, rank))
                sum += counts(*span) ? span->sentBytes : 0;
            sums.push_back(sum);
        }
        const auto [least, most] = std::ranges::minmax(sums);
        observed.least.push_back(least);
        observed.most.push_back(most);
    }
    return observed;
}
} // namespace shardscope
