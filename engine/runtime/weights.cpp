// SPDX-License-Identifier: MIT
#include "engine/runtime/weights.h"

#include "engine/runtime/torch_types.h"

#include <algorithm>

namespace shardscope {

namespace {

/// f32 elements made at a time before they are cast.
constexpr std::int64_t kBufferElements = std::int64_t{1} << 20;

/// Row length of the global tensor; a vector is a matrix of one column.
std::int64_t globalColumns(const Tensor &tensor)
{
    return tensor.shape.size() == 2 ? tensor.shape[1].size : 1;
}

Slice cut(Slice slice, int index, int count)
{
    const Slice part = sliceOf(slice.length, index, count);
    return {slice.begin + part.begin, part.length};
}

void fillRows(float *out, const Tensor &tensor, Slice rows, Slice columns, const ValueSource &source)
{
    const std::int64_t stride = globalColumns(tensor);
    const float scale = valueScale(tensor.fanIn);
    if (columns.length == stride) { // whole rows are consecutive
        source.fill(out, rows.length * stride, tensor.name, rows.begin * stride, scale);
        return;
    }
    for (std::int64_t row = 0; row < rows.length; ++row)
        source.fill(out + row * columns.length, columns.length, tensor.name,
                    (rows.begin + row) * stride + columns.begin, scale);
}

} // namespace

Region localRegion(const Tensor &tensor, const Mesh &mesh, int rank)
{
    Region region{{0, tensor.shape.front().size}, {0, globalColumns(tensor)}};
    for (const MeshAxis axis : kMeshAxes) {
        const Placement &placement = along(tensor.layout, axis);
        if (placement.kind != PlacementKind::Shard)
            continue;
        Slice &slice = placement.dim == 0 ? region.rows : region.columns;
        slice = cut(slice, mesh.coordinate(rank, axis), mesh.extent(axis));
    }
    return region;
}

at::Tensor generate(const Tensor &tensor, const Region &region, const ValueSource &source)
{
    const std::int64_t width = region.columns.length;
    at::Tensor result = at::empty({region.rows.length, width}, scalarType(tensor.dtype));
    const std::int64_t step = std::max<std::int64_t>(1, kBufferElements / std::max<std::int64_t>(1, width));
    const bool cast = tensor.dtype != DType::F32;
    at::Tensor buffer = cast ? at::empty({std::min(step, region.rows.length), width}, at::kFloat) : at::Tensor();
    for (std::int64_t row = 0; row < region.rows.length; row += step) {
        const std::int64_t count = std::min(step, region.rows.length - row);
        at::Tensor block = result.narrow(0, row, count);
        at::Tensor floats = cast ? buffer.narrow(0, 0, count) : block;
        fillRows(floats.data_ptr<float>(), tensor, {region.rows.begin + row, count}, region.columns, source);
        if (cast)
            block.copy_(floats);
    }
    return tensor.shape.size() == 2 ? result : result.view(-1);
}

at::Tensor generateAsF64(const Tensor &tensor, const Region &region, const ValueSource &source)
{
    return generate(tensor, region, source).to(at::kDouble);
}

} // namespace shardscope
