// SPDX-License-Identifier: MIT
#include "engine/plan/hop_schedule.h"
#include "engine/plan/traffic.h"
#include "engine/plan/work.h"
#include "engine/simulate/simulate.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;
/// A rank's own pages beside tensors: Gloo's threads and buffers, the BLAS workspace of 32 MiB.
constexpr std::int64_t kProcessBytes = 64 * kMiB;
/// The float64 reference is computed in column blocks and stays below this at any size.
constexpr std::int64_t kCheckBytes = 256 * kMiB;

/// Statistics, and sums of many small numbers, are computed in f32 at least.
int wideBytes(DType dtype)
{
    return std::max(bytesOf(DType::F32), bytesOf(dtype));
}

std::int64_t elementsHere(const Plan &plan, const Step &step, TensorId id)
{
    const int rank = rankWithLargestShare(plan.mesh(), step.stage);
    return localBytes(plan.tensor(id), plan.mesh(), rank) / bytesOf(plan.tensor(id).dtype);
}

/// The most that arrives at a rank in one hop of our own algorithms; direct receives from all peers at once. The
/// library keeps no more than another copy.
std::int64_t arrivingElements(const Collective &collective, int ranks)
{
    const Expected<HopSchedule> schedule = hopSchedule(collective.op, collective.algorithm, ranks);
    if (!schedule)
        return collective.elements;
    std::int64_t most = 0;
    for (const Hop &hop : schedule->hops)
        most = std::max(most, std::ranges::max(elementsOfHop(*schedule, hop, collective.elements).received));
    return most;
}

/// Beside input and output: a copy in the wire's dtype, and what arrives. Several tensors are joined before and taken
/// apart after.
std::int64_t collectiveBytes(const Plan &plan, const Step &step)
{
    const Collective &c = *step.collective;
    const bool joined = step.inputs.size() > 1;
    const std::int64_t copies = joined ? 3 * c.elements : c.elements;
    return (copies + arrivingElements(c, plan.groupSize(c))) * bytesOf(c.wireDtype);
}

/// What an overlapped collective or a message under way keeps: its input beyond the plan's last use of it.
bool staysBehind(const Step &step)
{
    return step.collective && (step.collective->overlapped || step.collective->op == CollectiveOp::SendRecv);
}

/// A CPU without units for a 16-bit format multiplies copies of both factors in f32, and rounds the product.
std::int64_t productBytes(const Plan &plan, const Step &step)
{
    return bytesOf(plan.experiment.dtype) > 2 ? 0 : 2 * step.memoryBytes;
}

/// Copies of the largest tensor of the step that a kernel makes in f32 or wider, at most.
int copiesOf(StepKind kind, bool narrow)
{
    switch (kind) {
    case StepKind::Dequantize:
        return narrow ? 1 : 0;
    case StepKind::LayerNorm:
        return narrow ? 2 : 0;
    case StepKind::LayerNormBackward:
        return narrow ? 3 : 0;
    case StepKind::LayerNormScaleGradient:
        return narrow ? 3 : 1;
    case StepKind::EmbeddingBackward: // the sums of all rows, and the rows that are added
        return 2;
    case StepKind::EmbeddingLookup:
        return 1;
    case StepKind::RowMax:
    case StepKind::SumExp:
    case StepKind::TargetLogit:
        return narrow ? 2 : 1;
    case StepKind::CrossEntropyBackward:
        return narrow ? 2 : 1;
    case StepKind::SwiGlu:
    case StepKind::SwiGluBackward:
    case StepKind::GeluBackward:
        return 1;
    case StepKind::Adam: // gradient, deviation, and the weight before it is rounded; the states where they are kept
        return 5;
    default:
        return 0;
    }
}

/// Core attention goes sequence by sequence: scores, their copies in f32 and what softmax makes of them.
std::int64_t attentionBytes(const Plan &plan, const Step &step)
{
    const bool back = step.kind == StepKind::AttentionCoreBackward;
    const std::int64_t scores = elementsHere(plan, step, back ? step.inputs[4] : step.outputs[1]);
    const std::int64_t ofOneSequence = scores / std::max<std::int64_t>(1, step.attention.sequences);
    const std::int64_t copies = back ? 6 : 5;
    const std::int64_t matrices = step.memoryBytes - scores * bytesOf(plan.experiment.dtype);
    const std::int64_t widened = bytesOf(plan.experiment.dtype) > 2 ? matrices : 2 * matrices;
    return copies * saturatingProduct(ofOneSequence, wideBytes(plan.experiment.dtype)) +
           widened / std::max<std::int64_t>(1, step.attention.sequences);
}

std::int64_t kernelBytes(const Plan &plan, const Step &step)
{
    if (step.kind == StepKind::MatMul)
        return productBytes(plan, step);
    if (step.kind == StepKind::AttentionCore || step.kind == StepKind::AttentionCoreBackward)
        return attentionBytes(plan, step);
    const int copies = copiesOf(step.kind, bytesOf(plan.experiment.dtype) < bytesOf(DType::F32));
    std::int64_t largest = 0;
    for (const std::vector<TensorId> &ids : {step.inputs, step.outputs}) {
        for (const TensorId id : ids)
            largest = std::max(largest, elementsHere(plan, step, id));
    }
    return copies * saturatingProduct(largest, wideBytes(plan.experiment.dtype));
}

std::vector<std::int64_t> perStage(const Plan &plan)
{
    return std::vector<std::int64_t>(static_cast<std::size_t>(plan.mesh().extent(MeshAxis::Pp)), 0);
}

/// Scratch of the hungriest step, and what stays behind of all that a rank sends beside the computation.
std::int64_t scratchBytes(const Plan &plan)
{
    std::int64_t largest = 0;
    std::vector<std::int64_t> behind = perStage(plan);
    for (const Step &step : plan.steps) {
        largest = std::max(largest, step.collective ? collectiveBytes(plan, step) : kernelBytes(plan, step));
        for (std::size_t stage = 0; stage < behind.size(); ++stage) {
            if (staysBehind(step) && (step.stage == kEveryStage || step.stage == static_cast<int>(stage)))
                behind[stage] += step.collective->payloadBytes;
        }
    }
    return largest + std::ranges::max(behind);
}

/// The rank's share of the weights in float64, and what it is multiplied with.
std::int64_t checkBytes(const Plan &plan)
{
    std::vector<std::int64_t> weights = perStage(plan);
    for (const Tensor &tensor : plan.tensors) {
        if (tensor.role != TensorRole::Weight)
            continue;
        for (std::size_t stage = 0; stage < weights.size(); ++stage)
            weights[stage] +=
                localBytes(tensor, plan.mesh(), rankWithLargestShare(plan.mesh(), static_cast<int>(stage)));
    }
    const int widening = bytesOf(DType::F64) / bytesOf(plan.experiment.dtype);
    return std::min(kCheckBytes, widening * std::ranges::max(weights) + 16 * kMiB);
}

} // namespace

std::int64_t estimatedBytesPerRank(const Experiment &experiment)
{
    const Plan plan = buildPlan(experiment);
    return peakBytesPerRank(plan) + scratchBytes(plan) + checkBytes(plan) + kProcessBytes;
}

} // namespace shardscope
