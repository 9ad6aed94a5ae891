// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace shardscope {

/// Axes of the device mesh: tensor, data and pipeline parallel.
enum class MeshAxis { Tp, Dp, Pp };
inline constexpr std::size_t kMeshAxisCount = 3;
inline constexpr std::array<MeshAxis, kMeshAxisCount> kMeshAxes{MeshAxis::Tp, MeshAxis::Dp, MeshAxis::Pp};

/// "tp", "dp", "pp".
[[nodiscard]] std::string_view axisName(MeshAxis axis);

/// The device mesh: how many ranks along each axis. Rank = (pp * dp_size + dp) * tp_size + tp: tensor-parallel
/// neighbours are neighbouring ranks, as Megatron-LM orders them, so that TP stays inside one node.
struct Mesh {
    std::array<int, kMeshAxisCount> extents{1, 1, 1};

    [[nodiscard]] int extent(MeshAxis axis) const { return extents[static_cast<std::size_t>(axis)]; }
    void setExtent(MeshAxis axis, int size) { extents[static_cast<std::size_t>(axis)] = size; }

    /// World size: the product of the extents.
    [[nodiscard]] int size() const;
    /// Position of `rank` along `axis`.
    [[nodiscard]] int coordinate(int rank, MeshAxis axis) const;
    /// The ranks that differ from `rank` only along `axis`, ascending, `rank` included.
    [[nodiscard]] std::vector<int> group(int rank, MeshAxis axis) const;

    /// Of that group the `replicas` neighbours among whom `rank` is: those that hold the same KV heads.
    [[nodiscard]] std::vector<int> group(int rank, MeshAxis axis, int replicas) const;

    bool operator==(const Mesh &) const = default;
};

} // namespace shardscope
