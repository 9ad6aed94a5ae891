// SPDX-License-Identifier: MIT
#include "engine/runtime/kernels.h"

#include "engine/runtime/torch_types.h"

#include <stdexcept>

namespace shardscope {

namespace {

/// GELU by the error function, as PyTorch's default; the reference uses the same formula.
constexpr const char *kGelu = "none";

/// Exact only when sums are kept in f32: 4096 ones are more than bf16 (256) and f16 (2048) can count to.
bool countsTo4096(DType dtype)
{
    const at::Tensor ones = at::ones({4, 4096}, scalarType(dtype));
    const at::Tensor standing = ones.t().contiguous();
    const double full = 4096;
    return at::mm(ones, standing).eq(full).all().item<bool>() && at::mm(ones, ones.t()).eq(full).all().item<bool>() &&
           at::mm(standing.t(), standing).eq(full).all().item<bool>();
}

at::Tensor matMul(const Step &step, const at::Tensor &a, const at::Tensor &b)
{
    const at::Tensor left = step.transposeA ? a.t() : a;
    const at::Tensor right = step.transposeB ? b.t() : b;
    if (multipliesThroughF32(dtypeOf(a)))
        return at::mm(left.to(at::kFloat), right.to(at::kFloat)).to(a.scalar_type());
    return at::mm(left, right);
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

bool multipliesThroughF32(DType dtype)
{
    if (dtype == DType::F32 || dtype == DType::F64)
        return false;
    static const bool bf16 = !countsTo4096(DType::BF16);
    static const bool f16 = dtypeWorks(DType::F16) && !countsTo4096(DType::F16);
    return dtype == DType::BF16 ? bf16 : f16;
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
