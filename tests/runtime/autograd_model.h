// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/value_source.h"

#include <string>

namespace shardscope {

/// What LibTorch's own operations and its autograd make of a plan's unsharded layer in float64: everything that a check
/// may ask for by name. Parameters' gradients are averages over micro-batches and data-parallel replicas. `parameters`
/// take the place of generated ones.
[[nodiscard]] NamedTensors autogradResults(const Plan &plan, const ValueSource &source,
                                           const NamedTensors &parameters = {});

/// The plan's weights, biases and norms, unsharded and in float64.
[[nodiscard]] NamedTensors wholeParameters(const Plan &plan, const ValueSource &source);

} // namespace shardscope
