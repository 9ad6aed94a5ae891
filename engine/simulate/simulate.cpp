// SPDX-License-Identifier: MIT
#include "engine/simulate/simulate.h"

#include "engine/plan/hop_schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace shardscope {
namespace {

std::int64_t toNs(double seconds)
{
    return std::max<std::int64_t>(1, std::llround(seconds * 1e9));
}

/// Three significant digits, whatever the locale.
std::string shortNumber(double value)
{
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 3);
    return {buffer.data(), end.ptr};
}

Text ranksOnCores(int ranks, int cores)
{
    if (ranks == 1)
        return {TextId::OneRankOnCores, {std::to_string(cores)}};
    return {ranks > cores ? TextId::RanksShareCores : TextId::RanksOnCores,
            {std::to_string(ranks), std::to_string(cores)}};
}

std::vector<std::string> notesFor(const Plan &plan, const Hardware &hardware)
{
    const int ranks = plan.mesh().size();
    const DType dtype = plan.experiment.dtype;
    std::vector<std::string> notes;
    const std::string overheadUs = shortNumber(hardware.operationOverheadSeconds * 1e6);
    notes.push_back(hardware.sharedCores > 0
                        ? english({TextId::PredictedByMeasured, {overheadUs}})
                        : english({TextId::PredictedBy, {shortNumber(hardware.efficiency * 100), overheadUs}}));
    if (hardware.sharedCores > 0) {
        notes.push_back(english(ranksOnCores(ranks, hardware.sharedCores)));
    } else if (ranks > hardware.devices) {
        notes.push_back(
            english({TextId::PredictedBeyondNode, {std::to_string(ranks), std::to_string(hardware.devices)}}));
    }
    if (const DType known = speedStandsFor(hardware, dtype); known != dtype) {
        notes.push_back(english(
            {TextId::PredictedOtherDType, {std::string(name(dtype)), hardware.name, std::string(name(known))}}));
    }
    return notes;
}

Machine machineOf(const Plan &plan, const Hardware &hardware)
{
    Machine machine;
    machine.backend = hardware.transport == Transport::Nccl ? "nccl" : "gloo";
    machine.host = hardware.title;
    for (int rank = 0; rank < plan.mesh().size(); ++rank)
        machine.devices.push_back("rank " + std::to_string(rank) + ": " + hardware.name);
    machine.notes = notesFor(plan, hardware);
    return machine;
}

/// Walks the plan once, with one clock per rank: like the executor, a rank does one step after the other and waits for
/// each, so nothing is hidden under compute.
class Simulation
{
public:
    Simulation(const Plan &plan, const Hardware &hardware, Run &run)
        : m_plan(plan), m_share(shareOf(hardware, plan.mesh().size())), m_hardware(hardware), m_run(run),
          m_free(ranks(), 0)
    {
        if (const auto &delay = plan.experiment.delay) {
            const std::int64_t late = std::llround(delay->milliseconds * 1e6);
            m_free.at(static_cast<std::size_t>(delay->rank)) = late;
        }
    }

    void play()
    {
        for (const Step &step : m_plan.steps) {
            if (step.collective)
                playCollective(step, *step.collective);
            else
                playCompute(step);
        }
    }

    [[nodiscard]] std::int64_t endOf(std::size_t rank) const { return m_free[rank]; }

private:
    [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(m_plan.mesh().size()); }

    SpanEvent &addSpan(std::size_t rank, const Step &step, std::int64_t start, std::int64_t end)
    {
        m_free[rank] = end;
        SpanEvent span;
        span.rank = static_cast<int>(rank);
        span.step = step.id;
        span.startNs = start;
        span.endNs = end;
        return m_run.spans.emplace_back(std::move(span));
    }

    void playCompute(const Step &step)
    {
        const std::int64_t length = toNs(computeSeconds(step, m_plan.experiment.dtype, m_share));
        for (std::size_t rank = 0; rank < ranks(); ++rank) {
            const std::int64_t start = m_free[rank];
            addSpan(rank, step, start, start + length);
        }
    }

    /// A collective can only end once the last of its group has come: the others wait inside it.
    void playCollective(const Step &step, const Collective &collective)
    {
        for (std::size_t first = 0; first < ranks(); ++first) {
            const std::vector<int> group = m_plan.mesh().group(static_cast<int>(first), collective.axis);
            if (group.front() == static_cast<int>(first))
                playGroup(step, collective, group);
        }
    }

    void playGroup(const Step &step, const Collective &collective, const std::vector<int> &group)
    {
        const int size = static_cast<int>(group.size());
        std::int64_t start = 0;
        for (const int rank : group)
            start = std::max(start, m_free[static_cast<std::size_t>(rank)]);
        const Expected<HopSchedule> schedule = hopSchedule(collective.op, collective.algorithm, size);
        const std::vector<double> hops = hopSeconds(collective, size, m_hardware);
        std::int64_t end = start;
        for (const double seconds : hops)
            end += toNs(seconds);
        if (hops.empty())
            end += toNs(collectiveSeconds(collective, size, m_hardware));
        std::vector<HopTraffic> traffic;
        if (schedule) {
            for (const Hop &hop : schedule->hops)
                traffic.push_back(trafficOf(hop, *schedule, collective));
        }
        for (int place = 0; place < size; ++place) {
            const auto rank = static_cast<std::size_t>(group[static_cast<std::size_t>(place)]);
            SpanEvent &span = addSpan(rank, step, m_free[rank], end);
            span.op = name(collective.op);
            span.payloadBytes = collective.payloadBytes;
            span.sentBytes = collective.sentBytesPerRank;
            span.wireDtype = name(collective.wireDtype);
            if (schedule)
                span.sentBytes = addHops(span, traffic, hops, static_cast<std::size_t>(place), start);
        }
    }

    /// Bytes that each place of the group sends in one hop, and who takes part in it.
    struct HopTraffic {
        std::vector<std::int64_t> sent;
        std::vector<bool> takesPart;
    };

    static HopTraffic trafficOf(const Hop &hop, const HopSchedule &schedule, const Collective &collective)
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
    std::int64_t addHops(const SpanEvent &span, const std::vector<HopTraffic> &traffic,
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

    const Plan &m_plan;
    const Hardware m_share;
    const Hardware &m_hardware;
    Run &m_run;
    std::vector<std::int64_t> m_free; ///< when each rank has ended its last step
};

} // namespace

Run simulate(const Plan &plan, const Hardware &hardware)
{
    Run run;
    run.id = "predicted";
    run.source = Source::Predicted;
    run.hardware = hardware.name;
    run.machine = machineOf(plan, hardware);
    run.plan = plan;
    Simulation simulation(plan, hardware, run);
    simulation.play();
    std::int64_t last = 0;
    for (int rank = 0; rank < plan.mesh().size(); ++rank) {
        const std::int64_t end = simulation.endOf(static_cast<std::size_t>(rank));
        run.iterations.push_back({.rank = rank, .iteration = 0, .warmup = false, .startNs = 0, .endNs = end});
        last = std::max(last, end);
    }
    run.end = EndEvent{.id = run.id, .status = EndEvent::Status::Done, .exitCode = 0, .elapsedNs = last};
    return run;
}

} // namespace shardscope
