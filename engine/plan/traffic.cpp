// SPDX-License-Identifier: MIT
#include "engine/plan/traffic.h"

#include "engine/plan/hop_schedule.h"

#include <algorithm>

namespace shardscope {
namespace {

/// Bytes that `rank` holds while `step` runs.
std::int64_t bytesAlive(const Plan &plan, int step, int rank)
{
    std::int64_t bytes = 0;
    for (const Tensor &tensor : plan.tensors) {
        const bool made = tensor.madeAt <= step;
        const bool needed = tensor.freedAfter < 0 || tensor.freedAfter >= step;
        if (made && needed)
            bytes += localBytes(tensor, plan.mesh(), rank);
    }
    return bytes;
}

/// Columns arrive as one block from each rank and are joined after that, so for a moment the whole is there twice. Rows
/// arrive where they belong.
std::int64_t bytesOfPieces(const Plan &plan, const Step &step, int rank)
{
    const bool pieces =
        step.collective && step.collective->op == CollectiveOp::AllGather && step.collective->gatherDim > 0;
    return pieces ? localBytes(plan.tensor(step.outputs.front()), plan.mesh(), rank) : 0;
}

} // namespace

PassTraffic Traffic::total() const
{
    PassTraffic sum;
    for (const PassTraffic &pass : passes) {
        sum.collectives += pass.collectives;
        sum.payloadBytes += pass.payloadBytes;
        sum.sentBytesPerRank += pass.sentBytesPerRank;
    }
    return sum;
}

std::int64_t sentBytesPerRank(CollectiveOp op, Algorithm algorithm, int ranks, std::int64_t elements, int elementBytes)
{
    // The library's own algorithm is not known; nccl-tests counts it as bandwidth-optimal, as the ring is.
    const auto schedule = hopSchedule(op, algorithm == Algorithm::Library ? Algorithm::Ring : algorithm, ranks);
    if (!schedule)
        return 0;
    const std::vector<std::int64_t> sent = sentElementsByRank(*schedule, elements);
    return *std::max_element(sent.begin(), sent.end()) * elementBytes;
}

Traffic traffic(const Plan &plan)
{
    Traffic result;
    for (const Step &step : plan.steps) {
        if (!step.collective)
            continue;
        PassTraffic &pass = result.passes[static_cast<std::size_t>(step.pass)];
        pass.collectives += 1;
        pass.payloadBytes += step.collective->payloadBytes;
        pass.sentBytesPerRank += step.collective->sentBytesPerRank;
    }
    return result;
}

std::int64_t peakBytesPerRank(const Plan &plan)
{
    const int rank = rankWithLargestShare(plan.mesh());
    std::int64_t peak = 0;
    for (const Step &step : plan.steps)
        peak = std::max(peak, bytesAlive(plan, step.id, rank) + bytesOfPieces(plan, step, rank));
    return peak;
}

} // namespace shardscope
