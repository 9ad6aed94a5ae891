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

std::int64_t heldTogether(const Plan &plan, const std::vector<TensorId> &ids, int rank)
{
    std::int64_t bytes = 0;
    for (const TensorId id : ids)
        bytes += localBytes(plan.tensor(id), plan.mesh(), rank);
    return bytes;
}

/// Buffers beside inputs and outputs. What is joined or cut by columns, and several tensors in one message, are copied
/// into the form that travels, and back; a reduce-scatter receives every rank's addends of the rank's slices.
std::int64_t bytesOfBuffers(const Plan &plan, const Step &step, int rank)
{
    if (!step.collective)
        return 0;
    const Collective &collective = *step.collective;
    const bool several = step.inputs.size() > 1;
    const bool copied = several || collective.gatherDim > 0;
    if (collective.op == CollectiveOp::AllGather && copied)
        return heldTogether(plan, step.outputs, rank) + (several ? heldTogether(plan, step.inputs, rank) : 0);
    if (collective.op == CollectiveOp::ReduceScatter)
        return heldTogether(plan, step.inputs, rank) * (copied ? 2 : 1);
    const DType dtype = plan.tensor(step.inputs.front()).dtype;
    const bool converted = collective.wireDtype != dtype && collective.op != CollectiveOp::AllGather;
    return converted ? heldTogether(plan, step.inputs, rank) / bytesOf(dtype) * bytesOf(collective.wireDtype) : 0;
}

} // namespace

DType wireDtype(CollectiveOp op, Algorithm algorithm, DType dtype, Transport transport)
{
    const bool sums = op == CollectiveOp::AllReduce || op == CollectiveOp::Reduce;
    const bool widened = transport == Transport::Gloo && algorithm == Algorithm::Library && sums;
    return widened && dtype == DType::BF16 ? DType::F32 : dtype;
}

std::int64_t sentBytesPerRank(CollectiveOp op, Algorithm algorithm, int ranks, std::int64_t elements, int elementBytes)
{
    if (op == CollectiveOp::Reduce || op == CollectiveOp::Broadcast || op == CollectiveOp::SendRecv)
        return ranks > 1 ? elements * elementBytes : 0; // each rank passes everything on once, as in a chain
    // The library's own algorithm is not known; nccl-tests counts it as bandwidth-optimal, as the ring is.
    std::vector<std::int64_t> sent;
    if (algorithm == Algorithm::Library)
        sent = ringSentElements(op, ranks, elements);
    else if (const auto schedule = hopSchedule(op, algorithm, ranks))
        sent = sentElementsByRank(*schedule, elements);
    return sent.empty() ? 0 : *std::max_element(sent.begin(), sent.end()) * elementBytes;
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
    for (const PassTraffic &pass : result.passes) {
        result.step.collectives += pass.collectives;
        result.step.payloadBytes += pass.payloadBytes;
        result.step.sentBytesPerRank += pass.sentBytesPerRank;
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
        takeLarger(most.step, here.step);
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
                peak = std::max(peak, alive[static_cast<std::size_t>(step.id)] + bytesOfBuffers(plan, step, rank));
        }
    }
    return peak;
}

} // namespace shardscope
