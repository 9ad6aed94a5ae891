// SPDX-License-Identifier: MIT
#include "engine/plan/traffic.h"

#include "engine/plan/hop_schedule.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace shardscope {
namespace {

/// Bytes that `rank` holds while each step runs.
std::vector<std::int64_t> bytesAlive(const Plan &plan, int rank)
{
    const auto steps = static_cast<std::ptrdiff_t>(plan.steps.size());
    std::vector<std::int64_t> changes(plan.steps.size() + 1);
    const auto change = [&changes](std::ptrdiff_t step) -> std::int64_t & {
        return changes[static_cast<std::size_t>(step)];
    };
    for (const Tensor &tensor : plan.tensors) {
        const std::ptrdiff_t begin = std::max(tensor.madeAt, 0);
        const std::ptrdiff_t end = tensor.freedAfter < 0 ? steps : std::ptrdiff_t{tensor.freedAfter} + 1;
        if (end <= begin)
            continue;
        const std::int64_t bytes = localBytes(tensor, plan.mesh(), rank);
        change(begin) += bytes;
        change(end) -= bytes;
    }
    std::partial_sum(changes.begin(), changes.end(), changes.begin());
    return changes;
}

/// Columns arrive as one block from each rank and are joined after that, so for a moment the whole is there twice. Rows
/// arrive where they belong.
std::int64_t bytesOfPieces(const Plan &plan, const Step &step, int rank)
{
    const bool pieces =
        step.collective && step.collective->op == CollectiveOp::AllGather && step.collective->gatherDim > 0;
    std::int64_t bytes = 0;
    for (const TensorId id : pieces ? step.outputs : std::vector<TensorId>{})
        bytes += localBytes(plan.tensor(id), plan.mesh(), rank);
    return bytes;
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
    if (op == CollectiveOp::Reduce || op == CollectiveOp::Broadcast || op == CollectiveOp::SendRecv)
        return ranks > 1 ? elements * elementBytes : 0; // each rank passes everything on once, as in a chain
    // The library's own algorithm is not known; nccl-tests counts it as bandwidth-optimal, as the ring is.
    const auto schedule = hopSchedule(op, algorithm == Algorithm::Library ? Algorithm::Ring : algorithm, ranks);
    if (!schedule)
        return 0;
    const std::vector<std::int64_t> sent = sentElementsByRank(*schedule, elements);
    return *std::max_element(sent.begin(), sent.end()) * elementBytes;
}

namespace {

/// What one rank of the stage takes part in. The receiver of a send puts nothing on the wire.
Traffic trafficOfStage(const Plan &plan, int stage)
{
    Traffic result;
    const int rank = rankWithLargestShare(plan.mesh(), stage);
    for (const Step &step : plan.steps) {
        if (!step.collective || !plan.runs(step, rank))
            continue;
        const bool receives = step.collective->op == CollectiveOp::SendRecv && step.collective->toStage == stage;
        PassTraffic &pass = result.passes[static_cast<std::size_t>(step.pass)];
        pass.collectives += 1;
        pass.payloadBytes += step.collective->payloadBytes;
        pass.sentBytesPerRank += receives ? 0 : step.collective->sentBytesPerRank;
    }
    return result;
}

void takeLarger(PassTraffic &most, const PassTraffic &other)
{
    most.collectives = std::max(most.collectives, other.collectives);
    most.payloadBytes = std::max(most.payloadBytes, other.payloadBytes);
    most.sentBytesPerRank = std::max(most.sentBytesPerRank, other.sentBytesPerRank);
}

} // namespace

Traffic traffic(const Plan &plan)
{
    Traffic most;
    for (int stage = 0; stage < plan.mesh().extent(MeshAxis::Pp); ++stage) {
        const Traffic here = trafficOfStage(plan, stage);
        for (std::size_t pass = 0; pass < kPassCount; ++pass)
            takeLarger(most.passes[pass], here.passes[pass]);
    }
    return most;
}

std::int64_t peakBytesPerRank(const Plan &plan)
{
    std::int64_t peak = 0;
    for (int stage = 0; stage < plan.mesh().extent(MeshAxis::Pp); ++stage) {
        const int rank = rankWithLargestShare(plan.mesh(), stage);
        const std::vector<std::int64_t> alive = bytesAlive(plan, rank);
        for (const Step &step : plan.steps) {
            if (plan.runs(step, rank))
                peak = std::max(peak, alive[static_cast<std::size_t>(step.id)] + bytesOfPieces(plan, step, rank));
        }
    }
    return peak;
}

} // namespace shardscope
