// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/runtime/torch_headers.h"

namespace shardscope {

/// Whether matrix products in that dtype go through f32 here: without bf16 instructions LibTorch adds up in bf16, and
/// sums of a thousand products then lose most of their digits. Tried, not guessed.
[[nodiscard]] bool multipliesThroughF32(DType dtype);

/// a·b of two matrices [m, k]·[k, n], in their dtype.
[[nodiscard]] at::Tensor matrixProduct(const at::Tensor &a, const at::Tensor &b);

/// a·b of each pair of matrices: [c, m, k]·[c, k, n] -> [c, m, n], in their dtype.
[[nodiscard]] at::Tensor batchedProduct(const at::Tensor &a, const at::Tensor &b);

/// What norms, softmax and losses compute in: f64 for f64, f32 for the others.
[[nodiscard]] at::ScalarType statisticType(const at::Tensor &tensor);

} // namespace shardscope
