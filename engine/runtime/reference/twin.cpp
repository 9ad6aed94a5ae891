// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/twin.h"

#include "engine/runtime/kernels.h"

#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

constexpr std::size_t kMostOutputs = 3;

at::Tensor narrowed(const at::Tensor &tensor, int dim, Slice slice)
{
    return tensor.defined() ? tensor.narrow(dim, slice.begin, slice.length) : tensor;
}

} // namespace

Twin part(const Twin &twin, int dim, Slice slice)
{
    return {narrowed(twin.exact, dim, slice), narrowed(twin.plain, dim, slice), narrowed(twin.pieces, dim, slice)};
}

at::Tensor part(const at::Tensor &tensor, const Region &region)
{
    const at::Tensor rows = narrowed(tensor, 0, region.rows);
    return rows.dim() == 1 ? rows : narrowed(rows, 1, region.columns);
}

Twin joinRows(const std::vector<Twin> &parts)
{
    if (parts.size() == 1)
        return parts.front();
    std::vector<at::Tensor> exact;
    std::vector<at::Tensor> plain;
    for (const Twin &each : parts) {
        exact.push_back(each.exact);
        plain.push_back(each.plain);
    }
    return {at::cat(exact, 0), plain.front().defined() ? at::cat(plain, 0) : at::Tensor()};
}

std::vector<at::Tensor> plainOf(const Step &step, std::initializer_list<Twin> inputs)
{
    std::vector<at::Tensor> plain;
    for (const Twin &input : inputs) {
        if (!input.plain.defined())
            return std::vector<at::Tensor>(kMostOutputs);
        plain.push_back(input.plain);
    }
    return runKernel(step, plain, false);
}

namespace {

Step stepOf(StepKind kind)
{
    Step step;
    step.kind = kind;
    return step;
}

std::vector<at::Tensor> piecesOf(const Step &step, std::initializer_list<Twin> inputs)
{
    const auto inPieces = [](const Twin &input) { return input.pieces.defined(); };
    if (std::none_of(inputs.begin(), inputs.end(), inPieces))
        return std::vector<at::Tensor>(kMostOutputs);
    std::vector<at::Tensor> pieces;
    for (const Twin &input : inputs)
        pieces.push_back(inPieces(input) ? input.pieces : input.plain);
    return runKernel(step, pieces, false);
}

} // namespace

std::vector<at::Tensor> plainOf(StepKind kind, std::initializer_list<Twin> inputs)
{
    return plainOf(stepOf(kind), inputs);
}

std::vector<Twin> kernelOf(const Step &step, std::initializer_list<Twin> inputs)
{
    const auto plain = plainOf(step, inputs);
    const auto pieces = piecesOf(step, inputs);
    std::vector<Twin> results;
    for (std::size_t i = 0; i < plain.size(); ++i)
        results.push_back({{}, plain[i], pieces[i]});
    return results;
}

Twin computed(at::Tensor exact, StepKind kind, std::initializer_list<Twin> inputs)
{
    Twin result = kernelOf(stepOf(kind), inputs)[0];
    result.exact = std::move(exact);
    return result;
}

Twin sum(const Twin &a, const Twin &b)
{
    return computed(a.exact + b.exact, StepKind::Add, {a, b});
}

} // namespace shardscope
