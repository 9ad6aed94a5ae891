// SPDX-License-Identifier: MIT
#include "engine/record/nested_slices.h"

#include <queue>
#include <tuple>

namespace shardscope {
namespace {

struct StartsLater {
    bool operator()(const TrackSlice &a, const TrackSlice &b) const
    {
        return std::tie(a.startNs, b.endNs, a.payload) > std::tie(b.startNs, a.endNs, b.payload);
    }
};

} // namespace

std::vector<TrackSlice> nested(std::vector<TrackSlice> slices)
{
    std::priority_queue<TrackSlice, std::vector<TrackSlice>, StartsLater> waiting(StartsLater{}, std::move(slices));
    std::vector<TrackSlice> result;
    std::vector<std::int64_t> openEnds; // of the slices around the current position, innermost last
    while (!waiting.empty()) {
        TrackSlice slice = waiting.top();
        waiting.pop();
        while (!openEnds.empty() && openEnds.back() <= slice.startNs)
            openEnds.pop_back();
        if (!openEnds.empty() && slice.endNs > openEnds.back()) {
            const std::int64_t border = openEnds.back();
            if (border - slice.startNs < slice.endNs - border) {
                slice.startNs = border; // starts later than others now: back into the queue
                waiting.push(slice);
                continue;
            }
            slice.endNs = border;
        }
        openEnds.push_back(slice.endNs);
        result.push_back(slice);
    }
    return result;
}

} // namespace shardscope
