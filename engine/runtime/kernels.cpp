// SPDX-License-Identifier: MIT
#include "engine/runtime/kernels.h"

#include "engine/runtime/torch_types.h"

#include <stdexcept>

namespace shardscope {

namespace {

/// GELU by the error function, as PyTorch's default; the reference uses the same formula.
constexpr const char *kGelu = "none";

at::Tensor matMul(const Step &step, const at::Tensor &a, const at::Tensor &b)
{
    return at::mm(step.transposeA ? a.t() : a, step.transposeB ? b.t() : b);
}

at::Tensor addInto(const at::Tensor &a, const at::Tensor &b, bool overwrite)
{
    if (!overwrite)
        return at::add(a, b);
    at::Tensor result = a;
    return result.add_(b);
}

std::vector<at::Tensor> swiGluBackward(const at::Tensor &dH, const at::Tensor &gate, const at::Tensor &up)
{
    at::Tensor dUp = at::silu(gate).mul_(dH);
    return {at::silu_backward(at::mul(dH, up), gate), std::move(dUp)};
}

} // namespace

std::vector<at::Tensor> runKernel(const Step &step, const std::vector<at::Tensor> &inputs, bool mayOverwriteFirst)
{
    switch (step.kind) {
    case StepKind::MatMul:
        return {matMul(step, inputs[0], inputs[1])};
    case StepKind::AddBias:
    case StepKind::Add:
        return {addInto(inputs[0], inputs[1], mayOverwriteFirst)};
    case StepKind::Gelu:
        return {at::gelu(inputs[0], kGelu)};
    case StepKind::GeluBackward:
        return {at::gelu_backward(inputs[0], inputs[1], kGelu)};
    case StepKind::SwiGlu:
        return {at::silu(inputs[0]).mul_(inputs[1])};
    case StepKind::SwiGluBackward:
        return swiGluBackward(inputs[0], inputs[1], inputs[2]);
    case StepKind::SumRows:
        return {at::sum(inputs[0], 0)};
    case StepKind::Slice:
    case StepKind::Collective:
        break;
    }
    throw std::logic_error("not a compute step: " + step.label);
}

bool dtypeWorks(DType dtype)
{
    try {
        const at::Tensor a = at::ones({4, 4}, scalarType(dtype));
        const at::Tensor z = at::gelu(at::mm(a, a), kGelu);
        const at::Tensor g = at::gelu_backward(at::silu(z), at::silu_backward(z, a), kGelu);
        return at::sum(g, 0).numel() == 4;
    } catch (const c10::Error &) {
        return false;
    }
}

} // namespace shardscope
