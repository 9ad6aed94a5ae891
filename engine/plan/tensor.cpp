// SPDX-License-Identifier: MIT
#include "engine/plan/tensor.h"

namespace shardscope {

std::int64_t Tensor::elements() const
{
    std::int64_t product = 1;
    for (const Dim &dim : shape)
        product *= dim.size;
    return product;
}

std::int64_t Tensor::bytes() const
{
    return elements() * bytesOf(dtype);
}

Slice sliceOf(std::int64_t elements, int index, int count)
{
    const std::int64_t begin = index * elements / count;
    const std::int64_t end = (index + 1) * elements / count;
    return {begin, end - begin};
}

std::vector<std::int64_t> localShape(const Tensor &tensor, const Mesh &mesh, int rank)
{
    std::vector<std::int64_t> local;
    for (const Dim &dim : tensor.shape)
        local.push_back(dim.size);
    for (const MeshAxis axis : kMeshAxes) {
        const Placement &placement = along(tensor.layout, axis);
        if (placement.kind != PlacementKind::Shard)
            continue;
        std::int64_t &size = local[static_cast<std::size_t>(placement.dim)];
        size = sliceOf(size, mesh.coordinate(rank, axis), mesh.extent(axis)).length;
    }
    return local;
}

std::int64_t localBytes(const Tensor &tensor, const Mesh &mesh, int rank)
{
    std::int64_t bytes = bytesOf(tensor.dtype);
    for (const std::int64_t size : localShape(tensor, mesh, rank))
        bytes *= size;
    return bytes;
}

} // namespace shardscope
