// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_data.h"

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
    bar.begin = span.startNs - origin;
    bar.end = span.endNs - origin;
    bar.step = span.step;
    bar.rank = span.rank;
    bar.pass = step.pass;
    bar.collective = step.collective.has_value();
    bar.payloadBytes = span.payloadBytes;
    bar.sentBytes = span.sentBytes;
    if (step.collective)
        bar.op = step.collective->op;
    return bar;
}

std::vector<TimelineLane> emptyLanes(int ranks)
{
    std::vector<TimelineLane> lanes;
    for (int rank = 0; rank < ranks; ++rank) {
        lanes.push_back({rank, Stream::Compute, {}, {}, {}});
        lanes.push_back({rank, Stream::Communication, {}, {}, {}});
    }
    return lanes;
}

TimelineLane &laneOf(TimelineData &data, int rank, bool communication)
{
    return data.lanes[static_cast<std::size_t>(2 * rank + (communication ? 1 : 0))];
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
        const Step &step = run.plan.steps[static_cast<std::size_t>(span.step)];
        const TimelineBar bar = barOf(span, step, shown.begin);
        laneOf(data, span.rank, bar.collective || step.stream == Stream::Communication).bars.push_back(bar);
        data.communicates |= bar.collective;
    }
}

/// transfer = min over ranks of duration, wait = duration - transfer: needs no common clock.
void computeWaits(TimelineData &data)
{
    std::map<int, std::int64_t> transfer;
    for (const TimelineLane &lane : data.lanes) {
        for (const TimelineBar &bar : lane.bars) {
            if (!bar.collective)
                continue;
            const auto found = transfer.try_emplace(bar.step, bar.duration()).first;
            found->second = std::min(found->second, bar.duration());
        }
    }
    for (TimelineLane &lane : data.lanes) {
        for (TimelineBar &bar : lane.bars) {
            if (bar.collective)
                bar.waitNs = bar.duration() - transfer[bar.step];
            data.longestWaitNs = std::max(data.longestWaitNs, bar.waitNs);
        }
    }
}

void addHops(TimelineData &data, const Run &run, const Iteration &shown)
{
    for (const HopEvent &hop : run.hops) {
        const bool fits =
            hop.rank >= 0 && hop.rank < data.ranks && hop.startNs >= shown.begin && hop.startNs <= shown.end;
        if (!hop.warmup && hop.iteration == data.iteration && hop.hop > 0 && fits)
            laneOf(data, hop.rank, true).hopStarts.push_back(hop.startNs - shown.begin);
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

} // namespace

const TimelineLane &TimelineData::lane(int rank, Stream stream) const
{
    return lanes[static_cast<std::size_t>(2 * rank + (stream == Stream::Communication ? 1 : 0))];
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
    data.lanes = emptyLanes(data.ranks);
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
    computeWaits(data);
    for (TimelineLane &lane : data.lanes)
        sortLane(lane);
    addSections(data);
    return data;
}

} // namespace shardscope
