// SPDX-License-Identifier: MIT
#include "engine/record/byte_crossover.h"

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

} // namespace shardscope
