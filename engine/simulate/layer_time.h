// SPDX-License-Identifier: MIT
#pragma once

#include "engine/simulate/hardware.h"
#include "engine/simulate/model.h"
#include "engine/simulate/network.h"

namespace shardscope {

// Seconds of one rank by the cost model: matrix products by computeSeconds, collectives by collectiveSeconds, in bf16.

/// What passes through a layer at once, on each rank of tp.
struct LayerLoad {
    std::int64_t tokens = 0;   ///< rows of the matrix products
    std::int64_t attended = 0; ///< tokens that each of them looks at: s
    std::int64_t cached = 0;   ///< decode: tokens of all sequences in the KV cache, read from memory; 0 otherwise
    int tp = 1;
};

/// Matrix products and core attention of one layer, forward.
[[nodiscard]] double layerComputeSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load);
/// The output layer, forward.
[[nodiscard]] double headComputeSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load);
/// Core attention alone, which selective recomputation computes again.
[[nodiscard]] double coreAttentionSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load);
/// The collectives of TP in one layer, forward and backward of one micro-batch: two all-reduces each way, and two more
/// where the forward pass is computed again (Shoeybi 2019, figure 4). Under Megatron's sequence parallelism each is an
/// all-gather and a reduce-scatter, and backward gathers the two inputs once more, which no rank has kept whole
/// (Korthikanti 2022, section 4.2.2).
[[nodiscard]] double trainingCommunicationSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load,
                                                  bool sequenceParallel, bool recomputed);
/// One all-reduce of tokens x h.
[[nodiscard]] double allReduceSeconds(const Model &model, const Hardware &hardware, const LayerLoad &load);

/// Peak of bf16 products, or of the format that stands for it, FLOP/s.
[[nodiscard]] double peakFlops(const Hardware &hardware);

/// N below which the MLP is compute-bound: F·W/C (jax-ml/scaling-book, training.md), W in GB/s.
[[nodiscard]] double trainingLinkLimit(const Model &model, const Hardware &hardware, double linkGBs);
/// N above which decode's links take longer than reading the weights: F/(B·beta) (scaling-book, inference.md), links in
/// GB/s.
[[nodiscard]] double decodeLinkLimit(const Model &model, const Hardware &hardware, double linkGBs,
                                     std::int64_t sequences);

} // namespace shardscope
