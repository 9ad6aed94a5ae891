// SPDX-License-Identifier: MIT
#include "engine/plan/tensor.h"

#include <array>

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

Slice sliceAlong(const Placement &placement, std::int64_t elements, const Mesh &mesh, MeshAxis axis, int rank)
{
    return sliceOf(elements, mesh.coordinate(rank, axis) / placement.replicas, mesh.extent(axis) / placement.replicas);
}

bool holds(const Tensor &tensor, const Mesh &mesh, int rank)
{
    return tensor.stage == kEveryStage || mesh.coordinate(rank, MeshAxis::Pp) == tensor.stage;
}

namespace {

using Order = std::array<MeshAxis, kMeshAxisCount>;

Order cutOrder(const Tensor &tensor)
{
    switch (tensor.role) {
    case TensorRole::Weight:
    case TensorRole::Bias:
    case TensorRole::WeightGradient:
    case TensorRole::OptimizerState:
        return {MeshAxis::Tp, MeshAxis::Dp, MeshAxis::Pp};
    default:
        return {MeshAxis::Dp, MeshAxis::Tp, MeshAxis::Pp};
    }
}

} // namespace

std::vector<Slice> localSlices(const Tensor &tensor, const Mesh &mesh, int rank)
{
    std::vector<Slice> slices;
    for (const Dim &dim : tensor.shape)
        slices.push_back({0, dim.size});
    for (const MeshAxis axis : cutOrder(tensor)) {
        const Placement &placement = along(tensor.layout, axis);
        if (!placement.isShard())
            continue;
        Slice &slice = slices[static_cast<std::size_t>(placement.dim)];
        const Slice part = sliceAlong(placement, slice.length, mesh, axis, rank);
        slice = {slice.begin + part.begin, part.length};
    }
    return slices;
}

std::vector<std::int64_t> localShape(const Tensor &tensor, const Mesh &mesh, int rank)
{
    std::vector<std::int64_t> local;
    for (const Slice &slice : localSlices(tensor, mesh, rank))
        local.push_back(slice.length);
    return local;
}

std::int64_t localBytes(const Tensor &tensor, const Mesh &mesh, int rank)
{
    if (!holds(tensor, mesh, rank))
        return 0;
    std::int64_t bytes = bytesOf(tensor.dtype);
    for (const std::int64_t size : localShape(tensor, mesh, rank))
        bytes *= size;
    return bytes;
}

} // namespace shardscope
