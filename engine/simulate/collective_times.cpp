// SPDX-License-Identifier: MIT
#include "engine/simulate/collective_times.h"

#include "engine/plan/hop_schedule.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace shardscope {
namespace {

template <typename T>
bool allEqual(const std::vector<T> &values)
{
    return std::ranges::adjacent_find(values, std::not_equal_to<>()) == values.end();
}

/// What a place of the group sends when the library chooses: in a chain to or from rank 0 one rank is silent.
std::int64_t librarySends(const Collective &collective, int place, int ranks)
{
    const bool silent = (collective.op == CollectiveOp::Reduce && place == 0) ||
                        (collective.op == CollectiveOp::Broadcast && place == ranks - 1);
    return silent ? 0 : collective.sentBytesPerRank;
}

CollectiveTimes::Hop hopOf(const HopSchedule &schedule, const Hop &hop, const Collective &collective, double seconds)
{
    const auto ranks = static_cast<std::size_t>(schedule.ranks);
    CollectiveTimes::Hop timed{predictedNs(seconds), elementsOfHop(schedule, hop, collective.elements).sent,
                               std::vector<bool>(ranks, false)};
    for (std::int64_t &sent : timed.sentBytes)
        sent *= bytesOf(collective.wireDtype);
    for (const Transfer &transfer : hop) {
        timed.takesPart[static_cast<std::size_t>(transfer.from)] = true;
        timed.takesPart[static_cast<std::size_t>(transfer.to)] = true;
    }
    return timed;
}

CollectiveTimes predicted(const Collective &collective, const GroupSpan &group, const Hardware &hardware)
{
    const int ranks = group.ranks;
    CollectiveTimes times;
    const Expected<HopSchedule> schedule = hopSchedule(collective.op, collective.algorithm, ranks);
    const std::vector<double> seconds = hopSeconds(collective, group, hardware);
    for (std::size_t hop = 0; hop < seconds.size(); ++hop) {
        times.hops.push_back(hopOf(*schedule, schedule->hops[hop], collective, seconds[hop]));
        times.ns += times.hops.back().ns;
    }
    if (seconds.empty())
        times.ns = predictedNs(collectiveSeconds(collective, group, hardware));
    for (int place = 0; place < ranks; ++place) {
        std::int64_t sent = schedule ? 0 : librarySends(collective, place, ranks);
        for (const CollectiveTimes::Hop &hop : times.hops)
            sent += hop.sentBytes[static_cast<std::size_t>(place)];
        times.sentBytes.push_back(sent);
    }
    return times;
}

} // namespace

std::int64_t predictedNs(double seconds)
{
    return std::max<std::int64_t>(1, std::llround(seconds * 1e9));
}

bool CollectiveTimes::even() const
{
    return allEqual(sentBytes) &&
           std::ranges::all_of(hops, [](const Hop &hop) { return allEqual(hop.sentBytes) && allEqual(hop.takesPart); });
}

const CollectiveTimes &CollectiveTimetable::timesOf(const Collective &c, const GroupSpan &group)
{
    const auto [entry, isNew] =
        m_known.try_emplace({c.op, c.algorithm, group, c.elements, c.wireDtype, c.sentBytesPerRank});
    if (isNew)
        entry->second = predicted(c, group, m_hardware);
    return entry->second;
}

} // namespace shardscope
