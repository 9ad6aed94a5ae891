// SPDX-License-Identifier: MIT
#include "engine/plan/mesh.h"

namespace shardscope {
namespace {

/// How far apart in rank two neighbours along `axis` are.
int strideOf(const Mesh &mesh, MeshAxis axis)
{
    switch (axis) {
    case MeshAxis::Tp:
        return 1;
    case MeshAxis::Dp:
        return mesh.extent(MeshAxis::Tp);
    case MeshAxis::Pp:
        return mesh.extent(MeshAxis::Tp) * mesh.extent(MeshAxis::Dp);
    }
    return 1;
}

} // namespace

std::string_view axisName(MeshAxis axis)
{
    switch (axis) {
    case MeshAxis::Tp:
        return "tp";
    case MeshAxis::Dp:
        return "dp";
    case MeshAxis::Pp:
        return "pp";
    }
    return "";
}

int Mesh::size() const
{
    int product = 1;
    for (const int e : extents)
        product *= e;
    return product;
}

int Mesh::coordinate(int rank, MeshAxis axis) const
{
    return rank / strideOf(*this, axis) % extent(axis);
}

std::vector<int> Mesh::group(int rank, MeshAxis axis) const
{
    const int stride = strideOf(*this, axis);
    const int first = rank - coordinate(rank, axis) * stride;
    std::vector<int> ranks;
    for (int i = 0; i < extent(axis); ++i)
        ranks.push_back(first + i * stride);
    return ranks;
}

std::vector<int> Mesh::group(int rank, MeshAxis axis, int replicas) const
{
    const std::vector<int> whole = group(rank, axis);
    const int first = coordinate(rank, axis) / replicas * replicas;
    return {whole.begin() + first, whole.begin() + first + replicas};
}

} // namespace shardscope
