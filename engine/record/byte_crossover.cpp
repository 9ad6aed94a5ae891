// SPDX-License-Identifier: MIT
#include "engine/record/byte_crossover.h"

#include "engine/plan/hop_schedule.h"
#include "engine/plan/traffic.h"
#include "engine/record/cargo.h"

namespace shardscope {

double allReducesPerLayer(const Plan &tensorParallel)
{
    const Experiment &e = tensorParallel.experiment;
    const int ranks = e.extent(MeshAxis::Tp);
    if (ranks == 1)
        return 0;
    std::int64_t sent = 0;
    for (const Move &move : movesOf(tensorParallel)) {
        if (move.cargo == Cargo::Activations && move.axis == MeshAxis::Tp)
            sent += move.sentBytesPerRank;
    }
    // One message for all micro-batches of a replica: the size of each does not change bytes per token.
    const std::int64_t elements = e.globalTokens() / e.extent(MeshAxis::Dp) * e.hidden;
    const DType wire = wireDtype(CollectiveOp::AllReduce, e.algorithm, e.dtype, tensorParallel.transport);
    const std::int64_t one = sentBytesPerRank(CollectiveOp::AllReduce, e.algorithm, ranks, elements, bytesOf(wire));
    const double layersOfStage = static_cast<double>(e.layers) / e.extent(MeshAxis::Pp);
    return static_cast<double>(sent) / (static_cast<double>(one) * layersOfStage);
}

namespace {

/// Bytes that a rank sends for an array of any size that all ranks share evenly; 0 where the algorithm cannot do it.
double bytesOfOne(CollectiveOp op, const Plan &plan)
{
    constexpr std::int64_t kElementsPerRank = 1 << 20;
    const Experiment &e = plan.experiment;
    const bool possible = e.algorithm == Algorithm::Library || !algorithmProblem(op, e.algorithm, e.ranks());
    const int bytes = bytesOf(wireDtype(op, e.algorithm, e.dtype, plan.transport));
    return possible
               ? static_cast<double>(sentBytesPerRank(op, e.algorithm, e.ranks(), kElementsPerRank * e.ranks(), bytes))
               : 0;
}

} // namespace

std::optional<double> bytesAgainstDataParallel(const Plan &plan, Scheme scheme)
{
    const double sum = bytesOfOne(CollectiveOp::AllReduce, plan);
    const double scatter = bytesOfOne(CollectiveOp::ReduceScatter, plan);
    const double gather = bytesOfOne(CollectiveOp::AllGather, plan);
    const int m = plan.experiment.microBatches;
    if (!(sum > 0))
        return std::nullopt;
    if (scheme == Scheme::DataParallel)
        return 1;
    if (!(scatter > 0) || !(gather > 0))
        return std::nullopt;
    switch (scheme) {
    case Scheme::Zero1:
        return (scatter + gather) / sum;
    case Scheme::Zero2:
        return (m * scatter + gather) / sum;
    case Scheme::Zero3:
        return m * (scatter + 2 * gather) / sum;
    default:
        return std::nullopt;
    }
}

} // namespace shardscope
