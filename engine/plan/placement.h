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
    Partial,    ///< a full-size addend; the value is the sum (or the maximum) over the ranks
    Root,       ///< rank 0 of the axis alone holds it; the others hold nothing that counts
};

/// How addends make the value.
enum class ReduceOp { Sum, Max };

struct Placement {
    PlacementKind kind = PlacementKind::Replicated;
    int dim = 0; ///< cut dimension of a Shard; 0 otherwise
    /// So many neighbouring ranks hold the same slice of a Shard: the KV heads of grouped-query attention where there
    /// are fewer of them than ranks.
    int replicas = 1;
    bool addends = false; ///< of a Shard with replicas: the slice is the sum over its replicas
    ReduceOp reduce = ReduceOp::Sum;

    static Placement replicated() { return {}; }
    static Placement shard(int dim, int replicas = 1) { return {PlacementKind::Shard, dim, replicas}; }
    static Placement partial(ReduceOp reduce = ReduceOp::Sum) { return {PlacementKind::Partial, 0, 1, false, reduce}; }
    static Placement root() { return {PlacementKind::Root}; }

    [[nodiscard]] bool isShard() const { return kind == PlacementKind::Shard; }
    /// What a rank holds is an addend of something: of the whole, or of its slice.
    [[nodiscard]] bool isAddend() const { return kind == PlacementKind::Partial || addends; }

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

/// "replicated", "shard rows", "shard columns", "partial", "partial (max)", "root", "shard columns x2 replicas" (dim 0
/// = rows, dim 1 = columns of a matrix; a vector's only dimension is called "elements"; of more dimensions, "heads").
[[nodiscard]] std::string describe(const Placement &placement, int tensorRank = 2);

} // namespace shardscope
