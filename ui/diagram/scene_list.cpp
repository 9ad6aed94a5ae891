// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/scene_list.h"

#include "engine/plan/hop_schedule.h"
#include "engine/plan/option_limits.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

namespace shardscope {

namespace {

/// How many hops are drawn. A schedule of 64 ranks has thousands of transfers, and its length is asked for at each
/// tick of the animation and several times per move of a slider: it is built once.
int hopCount(const Collective &collective, int ranks)
{
    static std::mutex mutex; // pictures are painted outside the GUI thread
    static std::map<std::tuple<CollectiveOp, Algorithm, int>, int> known;
    const std::scoped_lock lock(mutex);
    if (ranks > kMostHopRanks)
        return 0;
    const auto [entry, isNew] = known.try_emplace({collective.op, collective.algorithm, ranks}, 0);
    if (isNew)
        entry->second = static_cast<int>(drawnSchedule(collective, ranks).schedule.hops.size());
    return entry->second;
}

} // namespace

std::vector<Scene> sceneList(const Plan &plan)
{
    std::vector<Scene> scenes;
    for (const Step &step : plan.steps) {
        if (!step.collective) {
            scenes.push_back({step.id, -1, 0});
            continue;
        }
        const int hops = hopCount(*step.collective, plan.groupSize(*step.collective));
        if (hops == 0 && plan.groupSize(*step.collective) > kMostHopRanks)
            scenes.push_back({step.id, -1, 0}); // as an equation: nobody follows so many messages
        for (int hop = 0; hop < hops; ++hop)
            scenes.push_back({step.id, hop, hops});
    }
    return scenes;
}

int firstSceneOf(const std::vector<Scene> &scenes, int step)
{
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        if (scenes[i].step == step)
            return static_cast<int>(i);
    }
    return 0;
}

int stepAt(const std::vector<Scene> &scenes, double position)
{
    const auto last = static_cast<int>(scenes.size()) - 1;
    return scenes.empty() ? 0 : scenes[static_cast<std::size_t>(std::clamp(static_cast<int>(position), 0, last))].step;
}

} // namespace shardscope
