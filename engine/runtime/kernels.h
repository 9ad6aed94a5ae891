// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/step.h"
#include "engine/runtime/torch_headers.h"

#include <vector>

namespace shardscope {

/// Computes one step that is neither a slice nor a collective: inputs and outputs in the order that StepKind gives.
/// `mayOverwriteFirst`: nobody needs the first input afterwards, so its memory may become the result's. Kernels know
/// nothing of schemes or ranks.
[[nodiscard]] std::vector<at::Tensor> runKernel(const Step &step, const std::vector<at::Tensor> &inputs,
                                                bool mayOverwriteFirst);

/// Whether matrix products in that dtype go through f32 here: without bf16 instructions LibTorch adds up in bf16, and
/// sums of a thousand products then lose most of their digits. Tried, not guessed.
[[nodiscard]] bool multipliesThroughF32(DType dtype);

/// Whether this LibTorch multiplies, adds and applies GELU and SiLU in that dtype on the CPU; tried, not guessed.
[[nodiscard]] bool dtypeWorks(DType dtype);

} // namespace shardscope
