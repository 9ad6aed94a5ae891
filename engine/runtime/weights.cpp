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

/// Rows of that width that are made at a time.
std::int64_t rowsOfBuffer(std::int64_t width)
{
    return std::max<std::int64_t>(1, kBufferElements / std::max<std::int64_t>(1, width));
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
    const std::int64_t step = rowsOfBuffer(width);
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

/// What a step of int8 stands for: 127 steps reach the column's largest value.
constexpr float kLargestInt8 = 127;

/// f32 values of rows of a weight, a block at a time: body(first row of the block, block).
template <typename Body>
void forRowBlocks(const Tensor &weight, const Region &region, const ValueSource &source, const Body &body)
{
    const std::int64_t width = region.columns.length;
    const std::int64_t step = rowsOfBuffer(width);
    const at::Tensor buffer = at::empty({std::min(step, region.rows.length), width}, at::kFloat);
    for (std::int64_t row = 0; row < region.rows.length; row += step) {
        const std::int64_t count = std::min(step, region.rows.length - row);
        at::Tensor floats = buffer.narrow(0, 0, count);
        fillFloats(floats, weight, {region.rows.begin + row, count}, region.columns, source);
        body(row, floats);
    }
}

/// max|w|/127 of each of `columns`, over all rows of the weight, also where a rank holds some of them only: N ranks
/// then hold the numbers that one would. A column of zeros needs no scale.
at::Tensor columnScales(const Tensor &weight, Slice columns, const ValueSource &source)
{
    at::Tensor largest = at::zeros({columns.length}, at::kFloat);
    forRowBlocks(weight, {{0, weight.shape[0].size}, columns}, source,
                 [&](std::int64_t, at::Tensor &floats) { largest = at::maximum(largest, floats.abs_().amax(0)); });
    return at::where(largest.gt(0), largest / kLargestInt8, at::ones_like(largest));
}

at::Tensor generateQuantized(const Tensor &weight, const Region &region, const ValueSource &source)
{
    const at::Tensor scales = columnScales(weight, region.columns, source);
    at::Tensor result = at::empty({region.rows.length, region.columns.length}, at::kChar);
    forRowBlocks(weight, region, source, [&](std::int64_t row, at::Tensor &floats) {
        floats.div_(scales).round_().clamp_(-kLargestInt8, kLargestInt8);
        result.narrow(0, row, floats.size(0)).copy_(floats);
    });
    return result;
}

/// Their rows are the weight's columns.
at::Tensor generateColumnScales(const Tensor &scales, const Region &region, const ValueSource &source)
{
    Tensor weight = scales;
    weight.name = scales.scalesOf;
    weight.shape = {{"in", scales.fanIn}, scales.shape.front()};
    return columnScales(weight, region.rows, source);
}

at::Tensor generateMatrix(const Tensor &tensor, const Region &region, const ValueSource &source)
{
    if (tensor.fill == Fill::Zeros)
        return at::zeros({region.rows.length, region.columns.length}, scalarType(tensor.dtype));
    if (tensor.fill == Fill::Indices)
        return generateIndices(tensor, region, source);
    if (tensor.fill == Fill::Quantized)
        return generateQuantized(tensor, region, source);
    if (tensor.fill == Fill::ColumnScales)
        return generateColumnScales(tensor, region, source);
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
