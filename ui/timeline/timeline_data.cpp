// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_data.h"

#include "engine/plan/option_limits.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

namespace shardscope {
namespace {

/// One iteration over all ranks that have ended it.
struct Iteration {
    int ranks = 0;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    std::int64_t longest = 0; ///< as the statistics: the slowest rank's own duration
};

std::map<int, Iteration> completeIterations(const Run &run)
{
    std::map<int, Iteration> iterations;
    for (const IterationEvent &event : run.iterations) {
        if (event.warmup || event.endNs < event.startNs)
            continue;
        Iteration &iteration = iterations[event.iteration];
        ++iteration.ranks;
        iteration.begin = std::min(iteration.begin, event.startNs);
        iteration.end = std::max(iteration.end, event.endNs);
        iteration.longest = std::max(iteration.longest, event.endNs - event.startNs);
    }
    const int ranks = run.experiment().ranks();
    std::erase_if(iterations, [&](const auto &entry) { return entry.second.ranks < ranks; });
    return iterations;
}

/// The number (1-based) of the length at `place` in the order of lengths.
int numberAt(const std::vector<std::int64_t> &lengths, std::size_t place)
{
    std::vector<std::pair<std::int64_t, int>> byLength;
    for (const std::int64_t length : lengths)
        byLength.emplace_back(length, static_cast<int>(byLength.size()) + 1);
    const auto wanted = byLength.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(byLength.begin(), wanted, byLength.end());
    return wanted->second;
}

bool possible(const SpanEvent &span, const Run &run)
{
    return span.rank >= 0 && span.rank < run.experiment().ranks() && span.step >= 0 &&
           span.step < static_cast<int>(run.plan.steps.size()) && span.endNs >= span.startNs && span.endNs > 0;
}

TimelineBar barOf(const SpanEvent &span, const Step &step, std::int64_t origin)
{
    TimelineBar bar;
    bar.launchNs = span.launchNs;
    bar.begin = span.startNs - origin;
    bar.end = span.endNs - origin;
    bar.step = span.step;
    bar.rank = span.rank;
    bar.pass = step.pass;
    bar.collective = step.collective.has_value();
    bar.payloadBytes = span.payloadBytes;
    bar.sentBytes = span.sentBytes;
    if (step.collective) {
        bar.op = step.collective->op;
        bar.axis = step.collective->axis;
    }
    return bar;
}

std::vector<MeshAxis> communicatingAxes(const Plan &plan)
{
    std::vector<MeshAxis> axes;
    for (const MeshAxis axis : kMeshAxes) {
        const bool used = std::ranges::any_of(
            plan.steps, [&](const Step &step) { return step.collective && step.collective->axis == axis; });
        if (used)
            axes.push_back(axis);
    }
    return axes.empty() ? std::vector{MeshAxis::Tp} : axes;
}

std::vector<TimelineLane> emptyLanes(const std::vector<int> &ranks, const std::vector<MeshAxis> &axes)
{
    std::vector<TimelineLane> lanes;
    for (const int rank : ranks) {
        TimelineLane lane;
        lane.rank = rank;
        lanes.push_back(lane);
        lane.stream = Stream::Communication;
        for (const MeshAxis axis : axes) {
            lane.axis = axis;
            lanes.push_back(lane);
        }
    }
    return lanes;
}

TimelineLane &laneOf(TimelineData &data, int rank, int place)
{
    return data.lanes[static_cast<std::size_t>(data.lanesPerRank() * data.rowOf(rank) + place)];
}

void addBars(TimelineData &data, const Run &run, const Iteration &shown)
{
    for (const SpanEvent &span : run.spans) {
        if (span.warmup || span.iteration != data.iteration)
            continue;
        // A span outside its iteration is as impossible as one that ends before it begins.
        if (!possible(span, run) || span.startNs < shown.begin || span.endNs > shown.end) {
            ++data.rejected;
            continue;
        }
        if (data.rowOf(span.rank) < 0)
            continue;
        const Step &step = run.plan.steps[static_cast<std::size_t>(span.step)];
        const TimelineBar bar = barOf(span, step, shown.begin);
        laneOf(data, span.rank, data.placeOf(bar)).bars.push_back(bar);
        data.communicates |= bar.collective;
    }
}

/// The first rank of the group in which `rank` takes part in the step: groups do not wait for each other.
int groupHead(const Plan &plan, const Step &step, int rank)
{
    const Collective &collective = *step.collective;
    const Mesh &mesh = plan.mesh();
    if (collective.op == CollectiveOp::SendRecv)
        return mesh.group(rank, MeshAxis::Pp)[static_cast<std::size_t>(std::max(step.stage, 0))];
    return collective.replicas > 0 ? mesh.group(rank, collective.axis, collective.replicas).front()
                                   : mesh.group(rank, collective.axis).front();
}

/// transfer = min over the group's ranks of duration, wait = duration - transfer: needs no common clock.
void computeWaits(TimelineData &data, const Plan &plan)
{
    std::map<std::pair<int, int>, std::int64_t> transfer;
    const auto keyOf = [&](const TimelineBar &bar) {
        return std::pair{bar.step, groupHead(plan, plan.steps[static_cast<std::size_t>(bar.step)], bar.rank)};
    };
    for (const TimelineLane &lane : data.lanes) {
        for (const TimelineBar &bar : lane.bars) {
            if (!bar.collective)
                continue;
            const auto found = transfer.try_emplace(keyOf(bar), bar.duration()).first;
            found->second = std::min(found->second, bar.duration());
        }
    }
    for (TimelineLane &lane : data.lanes) {
        for (TimelineBar &bar : lane.bars) {
            if (bar.collective)
                bar.waitNs = bar.duration() - transfer[keyOf(bar)];
            data.longestWaitNs = std::max(data.longestWaitNs, bar.waitNs);
        }
    }
}

/// What of the bar passes while the rank computes; the lanes are in time order.
void hideUnder(const TimelineLane &compute, TimelineBar &bar, std::vector<HiddenSpan> &hidden)
{
    const auto first = std::ranges::lower_bound(compute.latestEnd, bar.begin + 1);
    for (auto i = first - compute.latestEnd.begin(); i < static_cast<std::ptrdiff_t>(compute.bars.size()); ++i) {
        const TimelineBar &other = compute.bars[static_cast<std::size_t>(i)];
        if (other.begin >= bar.end)
            break;
        const std::int64_t begin = std::max(bar.begin, other.begin);
        const std::int64_t end = std::min(bar.end, other.end);
        if (end <= begin)
            continue;
        bar.hiddenNs += end - begin;
        // Products that follow each other hide as one stretch.
        constexpr std::int64_t kSamePause = 2000;
        if (!hidden.empty() && begin - hidden.back().end < kSamePause && hidden.back().end >= bar.begin)
            hidden.back().end = end;
        else
            hidden.push_back({begin, end});
    }
}

void computeHidden(TimelineData &data)
{
    for (TimelineLane &lane : data.lanes) {
        if (lane.stream != Stream::Communication)
            continue;
        const TimelineLane &compute = data.laneAt(lane.rank, 0);
        for (TimelineBar &bar : lane.bars) {
            hideUnder(compute, bar, lane.hidden);
            data.hiddenNs += bar.hiddenNs;
        }
    }
}

void addMicroBatches(TimelineData &data, const Plan &plan)
{
    if (plan.experiment.microBatches < 2)
        return;
    for (const int rank : data.rows) {
        TimelineLane &lane = laneOf(data, rank, 0);
        for (const TimelineBar &bar : lane.bars) {
            const Step &step = plan.steps[static_cast<std::size_t>(bar.step)];
            if (step.pass == Pass::Optimizer)
                continue;
            std::vector<MicroBatchSpan> &spans = lane.microBatches;
            const bool continues =
                !spans.empty() && spans.back().pass == step.pass && spans.back().microBatch == step.microBatch;
            if (continues)
                spans.back().end = bar.end;
            else
                spans.push_back({bar.begin, bar.end, step.microBatch, step.pass});
        }
    }
}

void addHops(TimelineData &data, const Run &run, const Iteration &shown)
{
    for (const HopEvent &hop : run.hops) {
        const bool fits = data.rowOf(hop.rank) >= 0 && hop.startNs >= shown.begin && hop.startNs <= shown.end;
        if (hop.warmup || hop.iteration != data.iteration || hop.hop <= 0 || !fits || hop.step < 0 ||
            hop.step >= static_cast<int>(run.plan.steps.size()))
            continue;
        const Step &step = run.plan.steps[static_cast<std::size_t>(hop.step)];
        const auto axis = std::ranges::find(data.axes, step.collective ? step.collective->axis : MeshAxis::Tp);
        const auto place = 1 + static_cast<int>(axis == data.axes.end() ? 0 : axis - data.axes.begin());
        laneOf(data, hop.rank, place).hopStarts.push_back(hop.startNs - shown.begin);
    }
}

void sortLane(TimelineLane &lane)
{
    std::stable_sort(lane.bars.begin(), lane.bars.end(),
                     [](const TimelineBar &a, const TimelineBar &b) { return a.begin < b.begin; });
    std::sort(lane.hopStarts.begin(), lane.hopStarts.end());
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    lane.latestEnd.reserve(lane.bars.size());
    for (const TimelineBar &bar : lane.bars)
        lane.latestEnd.push_back(latest = std::max(latest, bar.end));
}

void addSections(TimelineData &data)
{
    std::map<Pass, PassSection> sections;
    for (const TimelineLane &lane : data.lanes) {
        for (const TimelineBar &bar : lane.bars) {
            const auto begin = static_cast<double>(bar.begin);
            const auto end = static_cast<double>(bar.end);
            PassSection &section = sections.try_emplace(bar.pass, PassSection{bar.pass, {begin, end}}).first->second;
            section.range = {std::min(section.range.begin, begin), std::max(section.range.end, end)};
        }
    }
    for (const auto &entry : sections)
        data.sections.push_back(entry.second);
}

/// A rank that another stands in for has the same lanes.
void copyLanes(TimelineData &data, const Run &run)
{
    for (const int rank : data.rows) {
        if (run.standIn(rank) == rank)
            continue;
        for (int place = 0; place < data.lanesPerRank(); ++place) {
            TimelineLane &lane = laneOf(data, rank, place);
            lane = data.laneAt(run.standIn(rank), place);
            lane.rank = rank;
            for (TimelineBar &bar : lane.bars) {
                bar.rank = rank;
                data.hiddenNs += bar.hiddenNs;
            }
        }
    }
}

/// One row for each rank as long as that can be drawn.
void chooseRows(TimelineData &data, const Run &run)
{
    data.rows = run.shownRanks();
    if (data.rowCount() > kMostRanksInRun)
        data.rows.resize(kMostRanksInRun);
    const bool all = data.rowCount() == data.ranks;
    for (const int rank : data.rows)
        data.alike.push_back(all ? 1 : run.alike(rank));
}

} // namespace

int TimelineData::rowOf(int rank) const
{
    const auto found = std::ranges::lower_bound(rows, rank);
    return found == rows.end() || *found != rank ? -1 : static_cast<int>(found - rows.begin());
}

bool TimelineData::interleaved(std::size_t index) const
{
    if (index == 0 || index >= sections.size())
        return false;
    constexpr double kSkew = 0.3; // ranks of one stage do not reach a pass at the same time either
    const TimeRange &before = sections[index - 1].range;
    const TimeRange &now = sections[index].range;
    return before.end - now.begin > kSkew * std::min(before.size(), now.size());
}

const TimelineLane &TimelineData::laneAt(int rank, int place) const
{
    return lanes[static_cast<std::size_t>(lanesPerRank() * rowOf(rank) + place)];
}

const TimelineLane &TimelineData::lane(int rank, Stream stream) const
{
    return laneAt(rank, stream == Stream::Communication ? 1 : 0);
}

int TimelineData::placeOf(const TimelineBar &bar) const
{
    if (!bar.collective)
        return 0;
    const auto axis = std::ranges::find(axes, bar.axis);
    return 1 + static_cast<int>(axis == axes.end() ? 0 : axis - axes.begin());
}

std::vector<const TimelineBar *> TimelineData::collectives(int rank) const
{
    std::vector<const TimelineBar *> bars;
    for (int place = 1; place < lanesPerRank(); ++place) {
        for (const TimelineBar &bar : laneAt(rank, place).bars)
            bars.push_back(&bar);
    }
    std::ranges::stable_sort(bars, {}, &TimelineBar::begin);
    return bars;
}

int chosenNumber(const TimelineData &data, const IterationChoice &choice)
{
    if (data.timedNs.empty())
        return 0;
    switch (choice.kind) {
    case IterationChoice::Kind::Fastest:
        return numberAt(data.timedNs, 0);
    case IterationChoice::Kind::Slowest:
        return numberAt(data.timedNs, data.timedNs.size() - 1);
    case IterationChoice::Kind::Number:
        if (choice.number >= 1 && choice.number <= data.timedCount)
            return choice.number;
        break;
    case IterationChoice::Kind::Median:
        break;
    }
    return data.medianNumber;
}

TimelineData timelineData(const Run &run, const IterationChoice &choice)
{
    TimelineData data;
    data.ranks = run.experiment().ranks();
    data.rejected = run.rejected;
    data.axes = communicatingAxes(run.plan);
    chooseRows(data, run);
    data.lanes = emptyLanes(data.rows, data.axes);
    const std::map<int, Iteration> iterations = completeIterations(run);
    if (iterations.empty())
        return data;
    for (const auto &entry : iterations)
        data.timedNs.push_back(entry.second.longest);
    data.timedCount = static_cast<int>(iterations.size());
    data.medianNumber = numberAt(data.timedNs, (data.timedNs.size() - 1) / 2);
    data.timedNumber = chosenNumber(data, choice);
    const auto shown = std::next(iterations.begin(), data.timedNumber - 1);
    data.iteration = shown->first;
    data.durationNs = shown->second.end - shown->second.begin;
    addBars(data, run, shown->second);
    addHops(data, run, shown->second);
    computeWaits(data, run.plan);
    for (TimelineLane &lane : data.lanes)
        sortLane(lane);
    computeHidden(data);
    addMicroBatches(data, run.plan);
    addSections(data);
    copyLanes(data, run);
    return data;
}

} // namespace shardscope
