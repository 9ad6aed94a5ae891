// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <vector>

namespace shardscope {

/// What one kernel computes and what it moves to and from memory, on the rank with the largest share.
struct KernelWork {
    double flops = 0;
    double bytes = 0;
};

/// The kernels of a compute step. Most steps are one, which reads its inputs and writes its outputs once. Core
/// attention is several, because the scores of all heads, s·s of them each, go through memory between the products and
/// the softmax (scale, mask and softmax are one kernel, as in Megatron-LM's FusedScaleMaskSoftmax):
///
///     forward   S = Q·Kᵀ   P = softmax(S)   C = P·V                     4 times the scores
///     backward  dV = Pᵀ·dC   dP = dC·Vᵀ   dS = softmax'(P, dP)   dQ = dS·K   dK = dSᵀ·Q      7 times
///
/// That, and not its FLOPs, is what core attention costs; a fused kernel (flash attention) keeps them on chip.
[[nodiscard]] std::vector<KernelWork> kernelsOf(const Step &step, DType dtype);

} // namespace shardscope
