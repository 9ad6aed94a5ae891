// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/hop_schedule.h"
#include "ui/diagram/scene_list.h"

#include <optional>

namespace shardscope {

/// One hop of a collective as the picture needs it. All groups of the mesh do the same at once; the schedule is that of
/// one group, whose ranks it counts from 0.
struct CollectiveScene {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::vector<std::vector<int>> groups; ///< ranks of the mesh, in the schedule's order
    ReduceOp reduce = ReduceOp::Sum;
    HopSchedule schedule;
    bool schematic = false;
    int hop = 0;
    Contributions before; ///< what each chunk holds when the hop begins
    Contributions after;

    [[nodiscard]] const Hop &transfers() const { return schedule.hops[static_cast<std::size_t>(hop)]; }
    /// All-gather, broadcast and send move pieces, they sum nothing: a chunk is there or not.
    [[nodiscard]] bool gathers() const { return op == CollectiveOp::AllGather || handsOn(); }
    /// One rank has everything, and gives it to the others.
    [[nodiscard]] bool handsOn() const { return op == CollectiveOp::Broadcast || op == CollectiveOp::SendRecv; }
    [[nodiscard]] bool lastHop() const { return hop + 1 == static_cast<int>(schedule.hops.size()); }
    [[nodiscard]] bool isComplete(std::uint64_t held, int chunk) const;
    /// Place of a rank of the mesh in its group, and which group that is; -1 of one that takes no part.
    struct Member {
        int group = -1;
        int index = -1;
    };
    [[nodiscard]] Member memberOf(int rank) const;
    /// Number of ranks whose part `held` contains.
    [[nodiscard]] static int count(std::uint64_t held);
};

/// Empty for a compute step, and for a collective of more ranks than have listed hops.
[[nodiscard]] std::optional<CollectiveScene> collectiveScene(const Plan &plan, const Scene &scene);

/// Where the animation of one scene stands. The last fifth of a scene is rest, so that the result can be seen.
struct Motion {
    double leave = 0;  ///< 0..1, eased: chunk to link
    double travel = 0; ///< along the link
    double enter = 0;  ///< link to chunk
    bool arrived = false;
    double flash = 0;  ///< 1 at arrival, falling to 0
    double sweep = -1; ///< compute steps: share of the rows done; negative: rests
};
[[nodiscard]] Motion motionAt(double fraction, bool reducedMotion = false);

/// Cubic in and out.
[[nodiscard]] double eased(double x);

} // namespace shardscope
