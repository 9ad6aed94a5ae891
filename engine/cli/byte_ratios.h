// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"
#include "engine/plan/plan.h"

#include <string>

namespace shardscope::cli {

/// Bytes of a training step of this layer over those of a forward of the same tokens, without and with recomputation:
/// 2.0, 2.0, 3.0, with Megatron's sequence parallelism 2.5, 2.5, 3.5 (tensor-parallelism.md 1g). From plans, so that it
/// is exact; empty where recomputation does not apply or forward sends nothing.
[[nodiscard]] std::string recomputationRatios(const Plan &training, const Console &console);

} // namespace shardscope::cli
