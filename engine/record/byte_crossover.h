// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

namespace shardscope {

/// All-reduces of [tokens, h] that one layer's activations amount to in a training step, by the bytes that the plan
/// itself sends along tp. A tensor-parallel plan of one layer kind: 2 for the MLP, 4 for the block; with Megatron's
/// sequence parallelism or full recomputation 2.5/2 and 3/2 of that, with both 3.5/2. Sending as many bytes as
/// data-parallelism takes P/(that·L·h) tokens. 0 where nothing is cut by tp.
[[nodiscard]] double allReducesPerLayer(const Plan &tensorParallel);

} // namespace shardscope
