// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/playhead_map.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardscope {
namespace {

/// Extent of each step over all ranks; who has no records of its own adds nothing.
std::map<int, TimeRange> stepRanges(const TimelineData &data, const Run &run)
{
    std::map<int, TimeRange> ranges;
    for (const TimelineLane &lane : data.lanes) {
        if (run.standIn(lane.rank) != lane.rank)
            continue;
        for (const TimelineBar &bar : lane.bars) {
            const auto begin = static_cast<double>(bar.begin);
            const auto end = static_cast<double>(bar.end);
            TimeRange &range = ranges.try_emplace(bar.step, TimeRange{begin, end}).first->second;
            range = {std::min(range.begin, begin), std::max(range.end, end)};
        }
    }
    return ranges;
}

/// Earliest start of each measured hop, by step and hop.
std::map<std::pair<int, int>, double> hopStarts(const TimelineData &data, const Run &run)
{
    std::int64_t origin = 0;
    bool known = false;
    for (const IterationEvent &event : run.iterations) {
        if (event.iteration == data.iteration && !event.warmup) {
            origin = known ? std::min(origin, event.startNs) : event.startNs;
            known = true;
        }
    }
    std::map<std::pair<int, int>, double> starts;
    for (const HopEvent &hop : run.hops) {
        if (hop.warmup || hop.iteration != data.iteration)
            continue;
        const auto start = static_cast<double>(hop.startNs - origin);
        double &earliest = starts.try_emplace({hop.step, hop.hop}, start).first->second;
        earliest = std::min(earliest, start);
    }
    return starts;
}

} // namespace

PlayheadMap::PlayheadMap(const std::vector<Scene> &scenes, const TimelineData &data, const Run &run)
{
    if (data.empty() || scenes.empty())
        return;
    const std::map<int, TimeRange> ranges = stepRanges(data, run);
    const auto hops = hopStarts(data, run);
    double latest = 0;
    double end = 0;
    for (const Scene &scene : scenes) {
        double begin = latest;
        if (const auto range = ranges.find(scene.step); range != ranges.end()) {
            const double share = scene.hop > 0 && scene.hops > 0 ? static_cast<double>(scene.hop) / scene.hops : 0;
            begin = range->second.begin + share * range->second.size();
            end = std::max(end, range->second.end);
        }
        if (const auto hop = hops.find({scene.step, scene.hop}); scene.hop > 0 && hop != hops.end())
            begin = hop->second;
        latest = std::max(latest, begin);
        m_begin.push_back(latest);
    }
    m_begin.push_back(std::max(latest, end));
}

double PlayheadMap::timeAt(double position) const
{
    if (empty())
        return 0;
    const double last = static_cast<double>(m_begin.size() - 1);
    const double clamped = std::clamp(position, 0.0, last);
    const auto scene = std::min(static_cast<std::size_t>(clamped), m_begin.size() - 2);
    const double fraction = clamped - static_cast<double>(scene);
    return m_begin[scene] + fraction * (m_begin[scene + 1] - m_begin[scene]);
}

double PlayheadMap::positionAt(double timeNs) const
{
    if (empty() || timeNs <= m_begin.front())
        return 0;
    const auto next = std::upper_bound(m_begin.begin(), m_begin.end(), timeNs);
    if (next == m_begin.end())
        return static_cast<double>(m_begin.size() - 1);
    const auto scene = static_cast<std::size_t>(next - m_begin.begin()) - 1;
    const double length = m_begin[scene + 1] - m_begin[scene];
    return static_cast<double>(scene) + (timeNs - m_begin[scene]) / length;
}

} // namespace shardscope
