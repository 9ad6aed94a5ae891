// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/twin.h"

#include "engine/runtime/kernels.h"

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
    return {narrowed(twin.exact, dim, slice), narrowed(twin.plain, dim, slice)};
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

std::vector<at::Tensor> plainOf(StepKind kind, std::initializer_list<Twin> inputs)
{
    Step step;
    step.kind = kind;
    return plainOf(step, inputs);
}

Twin sum(const Twin &a, const Twin &b)
{
    return {a.exact + b.exact, plainOf(StepKind::Add, {a, b})[0]};
}

} // namespace shardscope
