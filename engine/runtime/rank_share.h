// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/runtime/kernels.h"
#include "engine/runtime/torch_headers.h"

namespace shardscope {

/// What a Slice step leaves `rank` of what it holds of the input, as memory of its own: products read it in rows.
[[nodiscard]] at::Tensor ownSlice(const Plan &plan, const Step &step, int rank, const at::Tensor &whole);

/// The part of a kernel's context that follows from what `rank` holds.
[[nodiscard]] KernelContext kernelContext(const Plan &plan, const Step &step, int rank);

} // namespace shardscope
