// SPDX-License-Identifier: MIT
#include "engine/plan/work.h"

#include <limits>

namespace shardscope {
namespace {

// Operations per element, roughly: GELU, its derivative, SiLU(g)·u and its two derivatives, an erf or exp counted as a
// few. These steps are bound by memory; the numbers only keep them from looking free.
constexpr std::int64_t kGeluFlops = 8;
constexpr std::int64_t kGeluBackwardFlops = 16;
constexpr std::int64_t kSwiGluFlops = 6;
constexpr std::int64_t kSwiGluBackwardFlops = 12;
constexpr std::int64_t kNormFlops = 8;
constexpr std::int64_t kExpFlops = 4;
constexpr std::int64_t kAdamFlops = 12;

/// Core attention multiplies Q·Kᵀ and P·V; backward dC·Vᵀ, Pᵀ·dC, dS·K and dSᵀ·Q. All s·s products are done, masked or
/// not, as Korthikanti 2022 counts them.
constexpr std::int64_t kAttentionProducts = 2;
constexpr std::int64_t kAttentionBackwardProducts = 4;

std::int64_t localElements(const Plan &plan, TensorId id, int rank)
{
    const Tensor &tensor = plan.tensor(id);
    return localBytes(tensor, plan.mesh(), rank) / bytesOf(tensor.dtype);
}

std::int64_t matMulFlops(const Plan &plan, const Step &step, int rank)
{
    const auto a = localShape(plan.tensor(step.inputs[0]), plan.mesh(), rank);
    const std::int64_t inner = a[step.transposeA ? 0 : 1];
    return saturatingProduct(2 * inner, localElements(plan, step.outputs[0], rank));
}

std::int64_t attentionFlops(const Plan &plan, const Step &step, TensorId probabilities, int rank, std::int64_t products)
{
    const std::int64_t scores = localElements(plan, probabilities, rank);
    return saturatingProduct(2 * products * step.attention.headSize, scores);
}

std::int64_t flopsOf(const Plan &plan, const Step &step, int rank)
{
    const std::int64_t elements = localElements(plan, step.inputs[0], rank);
    switch (step.kind) {
    case StepKind::MatMul:
        return matMulFlops(plan, step, rank);
    case StepKind::Dequantize:
    case StepKind::AddBias:
    case StepKind::Add:
    case StepKind::SumRows:
    case StepKind::Scale:
    case StepKind::RowMax:
        return elements;
    case StepKind::Gelu:
        return saturatingProduct(kGeluFlops, elements);
    case StepKind::GeluBackward:
        return kGeluBackwardFlops * elements;
    case StepKind::SwiGlu:
        return kSwiGluFlops * elements;
    case StepKind::SwiGluBackward:
        return kSwiGluBackwardFlops * elements;
    case StepKind::LayerNorm:
    case StepKind::LayerNormBackward:
    case StepKind::LayerNormScaleGradient:
        return saturatingProduct(kNormFlops, elements);
    case StepKind::AttentionCore:
        return attentionFlops(plan, step, step.outputs[1], rank, kAttentionProducts);
    case StepKind::AttentionCoreBackward:
        return attentionFlops(plan, step, step.inputs[4], rank, kAttentionBackwardProducts);
    case StepKind::SumExp:
    case StepKind::CrossEntropy:
    case StepKind::CrossEntropyBackward:
        return saturatingProduct(kExpFlops, elements);
    case StepKind::Adam:
        return saturatingProduct(kAdamFlops, elements);
    case StepKind::EmbeddingBackward:
        return localElements(plan, step.inputs[1], rank);
    case StepKind::EmbeddingLookup:
    case StepKind::LastPosition:
    case StepKind::TargetLogit:
    case StepKind::Pad:
    case StepKind::Slice:
    case StepKind::Collective:
        return 0;
    }
    return 0;
}

} // namespace

std::int64_t saturatingProduct(std::int64_t a, std::int64_t b)
{
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    return b != 0 && a > kLargest / b ? kLargest : a * b;
}

std::int64_t flopsPerRank(const Plan &plan, const Step &step)
{
    return flopsOf(plan, step, rankWithLargestShare(plan.mesh(), step.stage));
}

std::int64_t memoryBytesPerRank(const Plan &plan, const Step &step)
{
    const int rank = rankWithLargestShare(plan.mesh(), step.stage);
    std::int64_t written = 0;
    for (const TensorId id : step.outputs)
        written += localBytes(plan.tensor(id), plan.mesh(), rank);
    // What they read of the whole tensor is only what they keep.
    if (step.kind == StepKind::Slice || step.kind == StepKind::EmbeddingLookup || step.kind == StepKind::LastPosition)
        return 2 * written;
    if (step.kind == StepKind::Pad)
        return 0;
    std::int64_t read = 0;
    for (const TensorId id : step.inputs)
        read += localBytes(plan.tensor(id), plan.mesh(), rank);
    return read + written;
}

} // namespace shardscope
