// SPDX-License-Identifier: MIT
#include "engine/runtime/kernels.h"

#include "engine/runtime/attention_kernels.h"
#include "engine/runtime/norm_kernels.h"
#include "engine/runtime/torch_types.h"
#include "engine/runtime/vocabulary_kernels.h"

#include <cmath>
#include <stdexcept>

namespace shardscope {

namespace {

/// GELU by the error function, as PyTorch's default; the reference uses the same formula.
constexpr const char *kGelu = "none";

// Adam's usual constants (Kingma and Ba 2014), PyTorch's defaults.
constexpr double kMomentumDecay = 0.9;
constexpr double kVarianceDecay = 0.999;
constexpr double kAdamEpsilon = 1e-8;

at::Tensor matMul(const Step &step, const at::Tensor &a, const at::Tensor &b)
{
    return matrixProduct(step.transposeA ? a.t() : a, step.transposeB ? b.t() : b);
}

at::Tensor addInto(const at::Tensor &a, const at::Tensor &b, bool overwrite)
{
    if (!overwrite)
        return at::add(a, b);
    at::Tensor result = a;
    return result.add_(b);
}

at::Tensor scaled(const at::Tensor &a, double factor, bool overwrite)
{
    if (!overwrite)
        return at::mul(a, factor);
    at::Tensor result = a;
    return result.mul_(factor);
}

std::vector<at::Tensor> swiGluBackward(const at::Tensor &dH, const at::Tensor &gate, const at::Tensor &up)
{
    at::Tensor dUp = at::silu(gate).mul_(dH);
    return {at::silu_backward(at::mul(dH, up), gate), std::move(dUp)};
}

/// The last row of each sequence, as memory of its own: the others go.
at::Tensor lastPosition(const at::Tensor &x, std::int64_t sequences)
{
    const std::int64_t tokens = x.size(0) / sequences;
    return x.view({sequences, tokens, x.size(1)}).select(1, tokens - 1).clone(at::MemoryFormat::Contiguous);
}

/// {W, dW, m, v} -> {W, m, v}, computed in the states' dtype.
std::vector<at::Tensor> adam(const std::vector<at::Tensor> &inputs, double rate, int stepNumber, bool overwrite)
{
    const at::Tensor &w = inputs[0];
    at::Tensor momentum = overwrite ? inputs[2] : inputs[2].clone();
    at::Tensor variance = overwrite ? inputs[3] : inputs[3].clone();
    const at::Tensor gradient = inputs[1].to(momentum.scalar_type());
    momentum.mul_(kMomentumDecay).add_(gradient, 1 - kMomentumDecay);
    variance.mul_(kVarianceDecay).addcmul_(gradient, gradient, 1 - kVarianceDecay);
    // The states began at zero, so that early means are too small.
    const double momentumShare = 1 - std::pow(kMomentumDecay, stepNumber);
    const double varianceShare = 1 - std::pow(kVarianceDecay, stepNumber);
    const at::Tensor deviation = at::div(variance, varianceShare).sqrt_().add_(kAdamEpsilon);
    const bool sameType = w.scalar_type() == momentum.scalar_type();
    at::Tensor updated = overwrite && sameType ? w : w.to(momentum.scalar_type(), false, /*copy=*/true);
    updated.addcdiv_(momentum, deviation, -rate / momentumShare);
    return {updated.to(w.scalar_type()), std::move(momentum), std::move(variance)};
}

/// Computed in f32 at least, and rounded once.
at::Tensor dequantized(const at::Tensor &weight, const at::Tensor &scales, at::ScalarType type)
{
    const at::ScalarType wide = type == at::kDouble ? at::kDouble : at::kFloat;
    return weight.to(wide).mul_(scales.to(wide)).to(type);
}

/// Every kernel once on a few numbers.
void tryKernels(DType dtype, c10::Device device)
{
    const at::TensorOptions own = optionsOn(device, dtype);
    const at::Tensor a = at::ones({4, 4}, own);
    const at::Tensor row = at::ones({4}, own);
    const at::Tensor ids = at::zeros({4}, optionsOn(device, DType::I64));
    const at::Tensor z = at::gelu(matrixProduct(a, a), kGelu);
    const at::Tensor g = at::gelu_backward(at::silu(z), at::silu_backward(z, a), kGelu);
    const at::Tensor n = layerNormBackward(layerNorm(g, row, row), g, row) + layerNormScaleGradient(a, g);
    const AttentionSizes sizes{2, 2};
    const auto core = attentionCore(sizes, {n, a, a});
    const auto dQkv = attentionCoreBackward(sizes, {core[0], n, a, a, core[1]});
    const at::Tensor e = embeddingBackward(ids, embeddingLookup(ids, dQkv[0], 0), 0, 4);
    const at::Tensor m = rowMax(e);
    const at::Tensor dZ = crossEntropyBackward(e, m, sumExp(e, m), ids, 0, 0.25, false);
    const at::Tensor state = at::zeros({4, 4}, own);
    auto updated = adam({scaled(dZ, 0.5, true), dZ, state, state}, 1e-3, 1, false);
    const at::Tensor weight = dequantized(at::ones({4, 4}, optionsOn(device, DType::I8)),
                                          at::ones({4}, optionsOn(device, DType::F32)), scalarType(dtype));
    updated.push_back(matrixProduct(a, weight));
    const at::Tensor tried = lastPosition(updated[0], 2).sum(0) + targetLogit(a, m, ids, 0).sum();
}

} // namespace

std::vector<at::Tensor> runKernel(const Step &step, const std::vector<at::Tensor> &inputs, bool mayOverwrite,
                                  const KernelContext &context)
{
    switch (step.kind) {
    case StepKind::MatMul:
        return {matMul(step, inputs[0], inputs[1])};
    case StepKind::Dequantize:
        return {dequantized(inputs[0], inputs[1], scalarType(context.dtype))};
    case StepKind::AddBias:
    case StepKind::Add:
        return {addInto(inputs[0], inputs[1], mayOverwrite)};
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
    case StepKind::Scale:
        return {scaled(inputs[0], step.factor, mayOverwrite)};
    case StepKind::LayerNorm:
        return {layerNorm(inputs[0], inputs[1], inputs[2])};
    case StepKind::LayerNormBackward:
        return {layerNormBackward(inputs[0], inputs[1], inputs[2])};
    case StepKind::LayerNormScaleGradient:
        return {layerNormScaleGradient(inputs[0], inputs[1])};
    case StepKind::AttentionCore:
        return attentionCore(step.attention, inputs);
    case StepKind::AttentionCoreBackward:
        return attentionCoreBackward(step.attention, inputs);
    case StepKind::EmbeddingLookup:
        return {embeddingLookup(inputs[0], inputs[1], context.firstIndex)};
    case StepKind::EmbeddingBackward:
        return {embeddingBackward(inputs[0], inputs[1], context.firstIndex, context.outputRows)};
    case StepKind::LastPosition:
        return {lastPosition(inputs[0], context.outputRows)};
    case StepKind::RowMax:
        return {rowMax(inputs[0])};
    case StepKind::SumExp:
        return {sumExp(inputs[0], inputs[1])};
    case StepKind::TargetLogit:
        return {targetLogit(inputs[0], inputs[1], inputs[2], context.firstIndex)};
    case StepKind::CrossEntropy:
        return {crossEntropy(inputs[0], inputs[1])};
    case StepKind::CrossEntropyBackward:
        return {crossEntropyBackward(inputs[0], inputs[1], inputs[2], inputs[3], context.firstIndex, step.factor,
                                     mayOverwrite)};
    case StepKind::Adam:
        return adam(inputs, step.factor, context.stepNumber, mayOverwrite);
    case StepKind::Pad:
    case StepKind::Slice:
    case StepKind::Collective:
        break;
    }
    throw std::logic_error("not a compute step: " + step.label);
}

std::optional<std::string> missingKernel(DType dtype, c10::Device device)
{
    try {
        tryKernels(dtype, device);
        return std::nullopt;
    } catch (const c10::Error &error) {
        const std::string said = error.what_without_backtrace();
        return said.substr(0, said.find('\n'));
    }
}

std::vector<DType> workingDtypes(c10::Device device)
{
    std::vector<DType> found;
    for (const DType dtype : {DType::F32, DType::F64, DType::BF16, DType::F16})
        if (dtypeWorks(dtype, device))
            found.push_back(dtype);
    return found;
}

} // namespace shardscope
