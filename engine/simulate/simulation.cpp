// SPDX-License-Identifier: MIT
#include "engine/simulate/simulation.h"

#include "engine/record/collective_groups.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

/// Nothing ends where it began.
std::int64_t toNs(double seconds)
{
    return std::max<std::int64_t>(1, std::llround(seconds * 1e9));
}

/// What a place of the group sends when the library chooses: in a chain to or from rank 0 one rank is silent.
std::int64_t librarySends(const Collective &collective, int place, int ranks)
{
    const bool silent = (collective.op == CollectiveOp::Reduce && place == 0) ||
                        (collective.op == CollectiveOp::Broadcast && place == ranks - 1);
    return silent ? 0 : collective.sentBytesPerRank;
}

} // namespace

Simulation::Simulation(const Plan &plan, const Hardware &hardware, Run &run)
    : m_plan(plan), m_share(shareOf(hardware, plan.mesh().size())), m_run(run),
      m_clocks(static_cast<std::size_t>(plan.mesh().size()))
{
    if (const auto &delay = plan.experiment.delay)
        clockOf(delay->rank).free = std::llround(delay->milliseconds * 1e6);
}

void Simulation::play()
{
    for (const Step &step : m_plan.steps) {
        if (!step.collective) {
            playCompute(step);
            continue;
        }
        for (const std::vector<int> &group : groupsOf(m_plan, step)) {
            if (isMessage(step))
                playMessage(step, group.front(), group.back());
            else
                playGroup(step, group);
        }
    }
    for (int rank = 0; rank < m_plan.mesh().size(); ++rank) {
        while (!clockOf(rank).arrivals.empty())
            settle(rank, clockOf(rank).arrivals.begin()->first);
    }
    const auto earlier = [](const SpanEvent &a, const SpanEvent &b) { return a.startNs < b.startNs; };
    std::stable_sort(m_run.spans.begin(), m_run.spans.end(), earlier);
}

std::int64_t Simulation::endOf(int rank) const
{
    const Clock &clock = m_clocks[static_cast<std::size_t>(rank)];
    return std::max(clock.free, clock.communication);
}

SpanEvent &Simulation::addSpan(int rank, const Step &step, std::int64_t start, std::int64_t end)
{
    SpanEvent span;
    span.rank = rank;
    span.step = step.id;
    span.startNs = start;
    span.endNs = end;
    if (step.collective) {
        span.op = name(step.collective->op);
        span.payloadBytes = step.collective->payloadBytes;
        span.wireDtype = name(step.collective->wireDtype);
    }
    return m_run.spans.emplace_back(std::move(span));
}

void Simulation::addMessageSpan(int rank, const Step &step, std::int64_t start, std::int64_t end,
                                std::int64_t sentBytes)
{
    addSpan(rank, step, start, end).sentBytes = sentBytes;
    clockOf(rank).free = end;
}

/// The rank needs what `step` made: it waits for a message, or for an overlapped collective.
void Simulation::settle(int rank, int step)
{
    Clock &clock = clockOf(rank);
    if (const auto ended = clock.overlapped.find(step); ended != clock.overlapped.end()) {
        clock.free = std::max(clock.free, ended->second);
        clock.overlapped.erase(ended);
    }
    if (const auto arrival = clock.arrivals.find(step); arrival != clock.arrivals.end()) {
        const std::int64_t end = std::max(clock.free + 1, arrival->second);
        addMessageSpan(rank, m_plan.steps[static_cast<std::size_t>(step)], clock.free, end, 0);
        clock.arrivals.erase(arrival);
    }
}

void Simulation::begin(int rank, const Step &step)
{
    for (const int earlier : step.dependsOn)
        settle(rank, earlier);
    Clock &clock = clockOf(rank);
    if (!isMessage(step))
        clock.began.try_emplace({step.microBatch, step.pass != Pass::Forward}, clock.free);
}

void Simulation::playCompute(const Step &step)
{
    const std::int64_t length = toNs(computeSeconds(step, m_plan.experiment.dtype, m_share));
    for (int rank = 0; rank < m_plan.mesh().size(); ++rank) {
        if (!m_plan.runs(step, rank))
            continue;
        begin(rank, step);
        Clock &clock = clockOf(rank);
        std::int64_t end = clock.free + length;
        if (step.kind == StepKind::Pad) {
            const std::int64_t began = clock.began.at({step.microBatch, step.pass != Pass::Forward});
            end = std::max(clock.free + 1, began + toNs(step.padMs / 1e3));
        }
        addSpan(rank, step, clock.free, end);
        clock.free = end;
    }
}

/// A collective can only end once the last of its group has come: the others wait inside it.
void Simulation::playGroup(const Step &step, const std::vector<int> &group)
{
    const Collective &collective = *step.collective;
    const int size = static_cast<int>(group.size());
    std::vector<std::int64_t> came;
    for (const int rank : group) {
        begin(rank, step);
        came.push_back(std::max(clockOf(rank).free, clockOf(rank).communication));
    }
    const std::int64_t start = std::ranges::max(came);
    const Expected<HopSchedule> schedule = hopSchedule(collective.op, collective.algorithm, size);
    const std::vector<double> hops = hopSeconds(collective, size, m_share);
    std::int64_t end = start;
    for (const double seconds : hops)
        end += toNs(seconds);
    if (hops.empty())
        end += toNs(collectiveSeconds(collective, size, m_share));
    std::vector<HopTraffic> traffic;
    if (schedule) {
        for (const Hop &hop : schedule->hops)
            traffic.push_back(trafficOf(hop, *schedule, collective));
    }
    for (int place = 0; place < size; ++place) {
        const auto at = static_cast<std::size_t>(place);
        SpanEvent &span = addSpan(group[at], step, came[at], end);
        span.sentBytes = schedule ? addHops(span, traffic, hops, at, start) : librarySends(collective, place, size);
        Clock &clock = clockOf(group[at]);
        clock.communication = end;
        if (collective.overlapped)
            clock.overlapped[step.id] = end;
        else
            clock.free = end;
    }
}

/// The sender only starts it and goes on; what it sends leaves one after the other.
void Simulation::playMessage(const Step &step, int sender, int receiver)
{
    const Collective &collective = *step.collective;
    begin(sender, step);
    Clock &from = clockOf(sender);
    const std::int64_t started = from.free + toNs(m_share.operationOverheadSeconds);
    addMessageSpan(sender, step, from.free, started, collective.sentBytesPerRank);
    from.link = std::max(from.link, started) + toNs(collectiveSeconds(collective, 2, m_share));
    clockOf(receiver).arrivals[step.id] = from.link;
}

Simulation::HopTraffic Simulation::trafficOf(const Hop &hop, const HopSchedule &schedule, const Collective &collective)
{
    HopTraffic traffic{elementsOfHop(schedule, hop, collective.elements).sent,
                       std::vector<bool>(static_cast<std::size_t>(schedule.ranks), false)};
    for (std::int64_t &sent : traffic.sent)
        sent *= bytesOf(collective.wireDtype);
    for (const Transfer &transfer : hop) {
        traffic.takesPart[static_cast<std::size_t>(transfer.from)] = true;
        traffic.takesPart[static_cast<std::size_t>(transfer.to)] = true;
    }
    return traffic;
}

/// One event per hop that the rank takes part in; gives the bytes it sends over all of them.
std::int64_t Simulation::addHops(const SpanEvent &span, const std::vector<HopTraffic> &traffic,
                                 const std::vector<double> &seconds, std::size_t place, std::int64_t start)
{
    std::int64_t at = start;
    std::int64_t sent = 0;
    for (std::size_t index = 0; index < seconds.size(); ++index) {
        HopEvent hop;
        hop.rank = span.rank;
        hop.step = span.step;
        hop.hop = static_cast<int>(index);
        hop.startNs = at;
        at += toNs(seconds[index]);
        hop.endNs = at;
        hop.sentBytes = traffic[index].sent[place];
        sent += hop.sentBytes;
        if (traffic[index].takesPart[place])
            m_run.hops.push_back(hop);
    }
    return sent;
}

} // namespace shardscope
