// SPDX-License-Identifier: MIT
#include "engine/runtime/weights.h"

#include "engine/runtime/torch_types.h"

#include <algorithm>
#include <stdexcept>

namespace shardscope {

namespace {

/// f32 elements made at a time before they are cast.
constexpr std::int64_t kBufferElements = std::int64_t{1} << 20;

/// Row length of the global tensor; a vector is a matrix of one column.
std::int64_t globalColumns(const Tensor &tensor)
{
    return tensor.shape.size() == 2 ? tensor.shape[1].size : 1;
}

/// Makes the elements of whole or partial rows: `make(out, count, first global index)`.
template <typename Number, typename Make>
void forRows(Number *out, const Tensor &tensor, Slice rows, Slice columns, const Make &make)
{
    const std::int64_t stride = globalColumns(tensor);
    if (columns.length == stride) { // whole rows are consecutive
        make(out, rows.length * stride, rows.begin * stride);
        return;
    }
    for (std::int64_t row = 0; row < rows.length; ++row)
        make(out + row * columns.length, columns.length, (rows.begin + row) * stride + columns.begin);
}

void fillFloats(at::Tensor &floats, const Tensor &tensor, Slice rows, Slice columns, const ValueSource &source)
{
    const float scale = valueScale(tensor.fanIn);
    forRows(floats.data_ptr<float>(), tensor, rows, columns, [&](float *out, std::int64_t count, std::int64_t first) {
        source.fill(out, count, tensor.name, first, scale);
    });
    if (tensor.fill == Fill::AroundOne)
        floats.mul_(0.1).add_(1.0);
}

at::Tensor generateIndices(const Tensor &tensor, const Region &region, const ValueSource &source)
{
    at::Tensor result = at::empty({region.rows.length, region.columns.length}, at::kLong);
    forRows(result.data_ptr<std::int64_t>(), tensor, region.rows, region.columns,
            [&](std::int64_t *out, std::int64_t count, std::int64_t first) {
                source.fillIndices(out, count, tensor.name, first, tensor.indexBound);
            });
    return result;
}

at::Tensor generateValues(const Tensor &tensor, const Region &region, const ValueSource &source)
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
        fillFloats(floats, tensor, {region.rows.begin + row, count}, region.columns, source);
        if (cast)
            block.copy_(floats);
    }
    return result;
}

at::Tensor generateMatrix(const Tensor &tensor, const Region &region, const ValueSource &source)
{
    if (tensor.fill == Fill::Zeros)
        return at::zeros({region.rows.length, region.columns.length}, scalarType(tensor.dtype));
    if (tensor.fill == Fill::Indices)
        return generateIndices(tensor, region, source);
    return generateValues(tensor, region, source);
}

bool isParameter(TensorRole role)
{
    return role == TensorRole::Weight || role == TensorRole::Bias || role == TensorRole::WeightGradient ||
           role == TensorRole::OptimizerState;
}

void cutAlong(MeshAxis axis, const Tensor &tensor, const Mesh &mesh, int rank, Region &region)
{
    const Placement &placement = along(tensor.layout, axis);
    if (!placement.isShard())
        return;
    Slice &slice = placement.dim == 0 ? region.rows : region.columns;
    const Slice part = sliceAlong(placement, slice.length, mesh, axis, rank);
    slice = {slice.begin + part.begin, part.length};
}

} // namespace

Region wholeRegion(const Tensor &tensor)
{
    if (tensor.shape.empty() || tensor.shape.size() > 2)
        throw std::invalid_argument(tensor.name + " is neither a vector nor a matrix");
    return {{0, tensor.shape.front().size}, {0, globalColumns(tensor)}};
}

Region localRegion(const Tensor &tensor, const Mesh &mesh, int rank)
{
    Region region = wholeRegion(tensor);
    const bool parameter = isParameter(tensor.role);
    cutAlong(parameter ? MeshAxis::Tp : MeshAxis::Dp, tensor, mesh, rank, region);
    cutAlong(parameter ? MeshAxis::Dp : MeshAxis::Tp, tensor, mesh, rank, region);
    cutAlong(MeshAxis::Pp, tensor, mesh, rank, region);
    return region;
}

at::Tensor generate(const Tensor &tensor, const Region &region, const ValueSource &source)
{
    const at::Tensor result = generateMatrix(tensor, region, source);
    return tensor.shape.size() == 2 ? result : result.view(-1);
}

at::Tensor generateAsF64(const Tensor &tensor, const Region &region, const ValueSource &source)
{
    return generate(tensor, region, source).to(at::kDouble);
}

} // namespace shardscope
