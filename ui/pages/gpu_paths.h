// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/topology.h"

#include <QString>
#include <vector>

namespace shardscope {

// What the paths between GPUs say of how they are joined.

/// NVLinks of a path, "NV18" has 18; 0: it has none.
[[nodiscard]] int linksOf(const GpuPath &path);

/// The path between two GPUs, in either order; nullptr where none was told.
[[nodiscard]] const GpuPath *pathBetween(const Topology &topology, int a, int b);

enum class GpuFabric {
    None,   ///< no pair
    Pcie,   ///< no NVLink
    Links,  ///< NVLinks from GPU to GPU, of some pairs at least
    Switch, ///< every pair has NVLinks, and some GPU has more on its paths than leave it: they meet in a switch
};
[[nodiscard]] GpuFabric fabricOf(const Topology &topology);

/// Paths of one word and speed.
struct PathKind {
    std::string word;
    double expectedGBps = -1; ///< one direction; -1: unknown
    int pairs = 0;
    int from = 0; ///< the first such pair
    int to = 0;
};
/// The fastest first.
[[nodiscard]] std::vector<PathKind> pathKinds(const Topology &topology);

/// What the word of a path means: "through one PCIe switch".
[[nodiscard]] QString pathMeaning(const std::string &word);

} // namespace shardscope
