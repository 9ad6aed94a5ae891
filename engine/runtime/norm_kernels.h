// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/torch_headers.h"

namespace shardscope {

/// Added to the variance of a row, as PyTorch's default.
inline constexpr double kNormEpsilon = 1e-5;

/// g · (X - mean) / sqrt(variance + epsilon) + c of each row of X [t, h]; g, c [h]. 16-bit values are normalised in
/// f32.
[[nodiscard]] at::Tensor layerNorm(const at::Tensor &x, const at::Tensor &scale, const at::Tensor &shift);

/// dX of that, from dY [t, h].
[[nodiscard]] at::Tensor layerNormBackward(const at::Tensor &dY, const at::Tensor &x, const at::Tensor &scale);

/// dg [h]: the sum over tokens of dY times the normalised X.
[[nodiscard]] at::Tensor layerNormScaleGradient(const at::Tensor &dY, const at::Tensor &x);

} // namespace shardscope
