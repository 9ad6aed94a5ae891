// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/scene_list.h"

#include "engine/plan/hop_schedule.h"

namespace shardscope {

std::vector<Scene> sceneList(const Plan &plan)
{
    std::vector<Scene> scenes;
    for (const Step &step : plan.steps) {
        if (!step.collective) {
            scenes.push_back({step.id, -1, 0});
            continue;
        }
        const int ranks = plan.mesh().extent(step.collective->axis);
        const int hops = static_cast<int>(drawnSchedule(*step.collective, ranks).schedule.hops.size());
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

} // namespace shardscope
