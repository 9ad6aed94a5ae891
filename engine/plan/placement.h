// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/mesh.h"

#include <array>
#include <string>

namespace shardscope {

/// What each rank of one mesh axis holds of a tensor.
enum class PlacementKind {
    Replicated, ///< the whole tensor
    Shard,      ///< its slice along `dim`
    Partial,    ///< a full-size addend; the value is the sum over the ranks
};

struct Placement {
    PlacementKind kind = PlacementKind::Replicated;
    int dim = 0; ///< cut dimension of a Shard; 0 otherwise

    static Placement replicated() { return {}; }
    static Placement shard(int dim) { return {PlacementKind::Shard, dim}; }
    static Placement partial() { return {PlacementKind::Partial, 0}; }

    bool operator==(const Placement &) const = default;
};

/// One placement per mesh axis.
using Layout = std::array<Placement, kMeshAxisCount>;

[[nodiscard]] inline const Placement &along(const Layout &layout, MeshAxis axis)
{
    return layout[static_cast<std::size_t>(axis)];
}
[[nodiscard]] inline Placement &along(Layout &layout, MeshAxis axis)
{
    return layout[static_cast<std::size_t>(axis)];
}

/// "replicated", "shard rows", "shard columns", "partial" (dim 0 = rows, dim 1 = columns of a matrix; a vector's only
/// dimension is called "elements").
[[nodiscard]] std::string describe(const Placement &placement, int tensorRank = 2);

} // namespace shardscope
