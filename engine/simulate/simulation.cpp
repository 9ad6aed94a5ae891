// SPDX-License-Identifier: MIT
#include "engine/simulate/simulation.h"

#include "engine/record/collective_groups.h"
#include "engine/simulate/alike_ranks.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope {

Simulation::Simulation(const Hardware &hardware, Run &run, Ranks played)
    : m_run(run), m_plan(run.plan), m_machine(hardware), m_share(shareOf(hardware, m_plan.mesh().size())),
      m_timetable(m_share), m_clocks(static_cast<std::size_t>(m_plan.mesh().size()))
{
    if (played == Ranks::Alike)
        m_run.standIns = alikeRanks(m_plan, m_timetable);
    m_ranks = m_run.recordedRanks();
    if (const auto &delay = m_plan.experiment.delay)
        clockOf(delay->rank).free = std::llround(delay->milliseconds * 1e6);
}

void Simulation::play()
{
    for (const Step &step : m_plan.steps) {
        if (step.collective)
            playCollective(step);
        else
            playCompute(step);
    }
    for (const int rank : m_ranks) {
        while (!clockOf(rank).arrivals.empty())
            settle(rank, clockOf(rank).arrivals.begin()->first);
    }
    const auto earlier = [](const SpanEvent &a, const SpanEvent &b) { return a.startNs < b.startNs; };
    std::stable_sort(m_run.spans.begin(), m_run.spans.end(), earlier);
}

std::int64_t Simulation::endOf(int rank) const
{
    const Clock &clock = m_clocks[static_cast<std::size_t>(m_run.standIn(rank))];
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
    const std::int64_t length = predictedNs(computeSeconds(step, m_plan.experiment.dtype, m_share));
    for (const int rank : m_ranks) {
        if (!m_plan.runs(step, rank))
            continue;
        begin(rank, step);
        Clock &clock = clockOf(rank);
        std::int64_t end = clock.free + length;
        if (step.kind == StepKind::Pad) {
            const std::int64_t began = clock.began.at({step.microBatch, step.pass != Pass::Forward});
            end = std::max(clock.free + 1, began + predictedNs(step.padMs / 1e3));
        }
        addSpan(rank, step, clock.free, end);
        clock.free = end;
    }
}

void Simulation::playCollective(const Step &step)
{
    for (const int rank : m_ranks) {
        if (!m_plan.runs(step, rank) || clockOf(rank).lastCollective == step.id)
            continue;
        std::vector<int> group = groupOf(m_plan, step, rank);
        for (int &member : group)
            member = m_run.standIn(member);
        if (!isMessage(step))
            playGroup(step, group);
        else if (group.front() == rank)
            playMessage(step, rank, group.back());
    }
}

/// A collective can only end once the last of its group has come: the others wait inside it. A rank that stands in for
/// several of the group is played at the first of their places.
void Simulation::playGroup(const Step &step, const std::vector<int> &group)
{
    const CollectiveTimes &times = m_timetable.timesOf(*step.collective, spanOfGroups(step));
    std::int64_t start = 0;
    for (const int rank : group) {
        begin(rank, step);
        start = std::max({start, clockOf(rank).free, clockOf(rank).communication});
    }
    const std::int64_t end = start + times.ns;
    for (std::size_t place = 0; place < group.size(); ++place) {
        const int rank = group[place];
        Clock &clock = clockOf(rank);
        if (std::exchange(clock.lastCollective, step.id) == step.id)
            continue;
        addSpan(rank, step, std::max(clock.free, clock.communication), end).sentBytes = times.sentBytes[place];
        addHops(rank, step, times, place, start);
        clock.communication = end;
        if (step.collective->overlapped)
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
    const std::int64_t started = from.free + predictedNs(m_share.operationOverheadSeconds);
    addMessageSpan(sender, step, from.free, started, collective.sentBytesPerRank);
    from.link = std::max(from.link, started) + m_timetable.timesOf(collective, spanOfGroups(step)).ns;
    clockOf(receiver).arrivals[step.id] = from.link;
}

const GroupSpan &Simulation::spanOfGroups(const Step &step)
{
    const Collective &collective = *step.collective;
    const Mesh &mesh = m_plan.mesh();
    // Stages that begin with a node's first device lie alike: of a message its way from stage to stage counts.
    const bool alike = mesh.size() / mesh.extent(MeshAxis::Pp) % m_machine.devices == 0;
    const int stage = alike ? 0 : step.stage;
    const int way = isMessage(step) ? collective.toStage - (alike ? step.stage : 0) : 0;
    const auto [entry, isNew] = m_spans.try_emplace({collective.axis, collective.replicas, stage, way});
    if (isNew)
        entry->second = widestSpan(m_plan, step, m_machine);
    return entry->second;
}

/// One event per hop that the rank takes part in.
void Simulation::addHops(int rank, const Step &step, const CollectiveTimes &times, std::size_t place,
                         std::int64_t start)
{
    HopEvent event;
    event.rank = rank;
    event.step = step.id;
    event.endNs = start;
    for (const CollectiveTimes::Hop &hop : times.hops) {
        event.startNs = event.endNs;
        event.endNs += hop.ns;
        event.sentBytes = hop.sentBytes[place];
        if (hop.takesPart[place])
            m_run.hops.push_back(event);
        ++event.hop;
    }
}

} // namespace shardscope
