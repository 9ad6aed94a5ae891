// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/step.h"
#include "engine/runtime/torch_headers.h"

#include <vector>

namespace shardscope {

/// Core attention of the heads that are given, sequence after sequence: inputs {Q [b·s, a·d], K, V [b·s, k·d]}, in
/// decode also {Kcache, Vcache [b·c, k·d]}, whose tokens come before those of K and V. Outputs {C [b·s, a·d], P [b, a,
/// s, c + s]} with P = softmax(Q·Kᵀ/sqrt(d)), causal. The a query heads share the k KV heads in consecutive groups. P
/// is formed, not fused away: its memory is what recomputation is about. Scores and softmax of 16-bit values are f32.
[[nodiscard]] std::vector<at::Tensor> attentionCore(const AttentionSizes &sizes, const std::vector<at::Tensor> &inputs);

/// {dC, Q, K, V, P} -> {dQ, dK, dV}; without a cache.
[[nodiscard]] std::vector<at::Tensor> attentionCoreBackward(const AttentionSizes &sizes,
                                                            const std::vector<at::Tensor> &inputs);

} // namespace shardscope
