// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"

#include <vector>

namespace shardscope {

/// One stop of the animation: a compute step, or one hop of a collective.
struct Scene {
    int step = 0; ///< Plan::steps
    int hop = -1; ///< of the drawn schedule; -1: a compute step, or a collective of more than kMostHopRanks
    int hops = 0; ///< of that collective
};

/// The animation of a plan, in order. Many hops (N = 64: 126) stay single scenes; the scrub bar groups them by step.
[[nodiscard]] std::vector<Scene> sceneList(const Plan &plan);

/// The first scene of a plan step; 0 when it has none.
[[nodiscard]] int firstSceneOf(const std::vector<Scene> &scenes, int step);
/// The plan step at a position of the animation, in scenes; 0 when there are none.
[[nodiscard]] int stepAt(const std::vector<Scene> &scenes, double position);

} // namespace shardscope
