// SPDX-License-Identifier: MIT
#pragma once

#include "engine/simulate/group_span.h"
#include "engine/simulate/hardware.h"

#include <string_view>

namespace shardscope {

// What lies between nodes.

/// Between nodes a GPU has one 400 Gb/s port, as in a DGX H100: GB/s. A node has as many as devices.
inline constexpr double kNetworkGBs = 50;

/// Bus bandwidth that an all-reduce of large messages reaches inside a node, GB/s.
[[nodiscard]] double linkGBs(const Hardware &hardware);
/// Bandwidth of a GPU to other nodes, GB/s: a port's, and at most that of the links inside.
[[nodiscard]] double networkGBs(const Hardware &hardware);
/// Bus bandwidth of large collectives of a group that spans nodes and has `together` members in each, GB/s: a ring
/// enters and leaves a node through a port of each of them, and the links inside carry no more than they do
/// (jax-ml/scaling-book, gpus.md). Latency comes on top.
[[nodiscard]] double acrossNodesGBs(const Hardware &hardware, int together);

/// The same of one protocol: half of what LL sends are flags, and LL128 leaves 92 % (NCCL src/graph/tuning.cc).
[[nodiscard]] double busbwGBs(const LinkCost &link, const GroupSpan &group, const Hardware &hardware);

/// Latency of one hop between nodes in a ring, or in the tree that a library prefers for small sums (NCCL
/// src/graph/tuning.cc, hwLat NET).
[[nodiscard]] double ringHopSeconds(const LinkCost &link);
[[nodiscard]] double treeHopSeconds(const LinkCost &link);
/// What of a ring's bandwidth the tree reaches (same file).
inline constexpr double kTreeShare = 0.92;

} // namespace shardscope
