// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/simulate/hardware.h"

#include <compare>
#include <vector>

namespace shardscope {

/// How the ranks of a group lie on nodes. Nodes are filled in the order of ranks (mesh.h), so that tensor-parallel
/// neighbours stay together.
struct GroupSpan {
    /// All on one node, or as if they were.
    // NOLINTNEXTLINE(google-explicit-constructor): a number of ranks is such a group
    GroupSpan(int size = 1) : ranks(size), nodes(1), together(size) {}
    GroupSpan(int size, int onNodes, int fewest) : ranks(size), nodes(onNodes), together(fewest) {}

    int ranks;
    int nodes;
    int together; ///< of its ranks, on the node with the fewest of them

    /// The node of a place of the group, counted from its first: as if all had equally many.
    [[nodiscard]] int nodeOf(int place) const { return place * nodes / ranks; }

    auto operator<=>(const GroupSpan &) const = default;
};

/// Nodes that so many ranks fill; 1 where they share one machine's cores.
[[nodiscard]] int nodesOf(const Hardware &hardware, int ranks);
/// How the group, ascending, lies on nodes.
[[nodiscard]] GroupSpan spanOf(const std::vector<int> &group, const Hardware &hardware);
/// Of the groups that run the step's collective the one that is spread over the most nodes: the others are taken to be
/// as slow, since in the end all wait for it.
[[nodiscard]] GroupSpan widestSpan(const Plan &plan, const Step &step, const Hardware &hardware);

} // namespace shardscope
