// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <array>
#include <cstdint>

namespace shardscope {

/// Communication of one pass, as one rank sees it.
struct PassTraffic {
    int collectives = 0;
    std::int64_t payloadBytes = 0;
    std::int64_t sentBytesPerRank = 0; ///< the maximum over ranks of the bytes a rank puts on the wire
};

struct Traffic {
    std::array<PassTraffic, kPassCount> passes; ///< each of the rank with the most in that pass
    PassTraffic step;                           ///< all passes together, of the rank with the largest sum
    [[nodiscard]] const PassTraffic &total() const { return step; }
};

/// Bytes each rank sends for payload S: the library and ring 2(N-1)/N·S for all-reduce, (N-1)/N·S for all-gather and
/// reduce-scatter (nccl-tests, doc/PERFORMANCE.md); others from the hop schedule. Uneven chunks count exactly.
[[nodiscard]] std::int64_t sentBytesPerRank(CollectiveOp op, Algorithm algorithm, int ranks, std::int64_t elements,
                                            int elementBytes);

/// What travels of elements of `dtype`. Gloo cannot sum bf16, so the runtime hands it f32: twice the bytes. Our own
/// algorithms sum by themselves.
[[nodiscard]] DType wireDtype(CollectiveOp op, Algorithm algorithm, DType dtype, Transport transport);

/// What the plan's collectives move, pass by pass.
[[nodiscard]] Traffic traffic(const Plan &plan);

/// Bytes that one rank holds at the plan's peak: a fold over the tensors' lives.
[[nodiscard]] std::int64_t peakBytesPerRank(const Plan &plan);

} // namespace shardscope
