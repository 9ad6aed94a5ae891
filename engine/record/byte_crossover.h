// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <optional>

namespace shardscope {

/// All-reduces of [tokens, h] that one layer's activations amount to in a training step, by the bytes that the plan
/// itself sends along tp. A tensor-parallel plan of one layer kind: 2 for the MLP, 4 for the block; with Megatron's
/// sequence parallelism or full recomputation 2.5/2 and 3/2 of that, with both 3.5/2. Sending as many bytes as
/// data-parallelism takes P/(that·L·h) tokens. 0 where nothing is cut by tp.
[[nodiscard]] double allReducesPerLayer(const Plan &tensorParallel);

/// Bytes of a scheme of replicas over those of data-parallel, on as many ranks, with the algorithm, number formats and
/// micro-batches of `plan` (tensor-parallelism.md 1j): gradients are reduced once, or in ZeRO-2 and 3 for each
/// micro-batch; ZeRO-3 gathers parameters twice for each. With rings 1, 1, (m+1)/2 and 1.5m. Nothing where the
/// algorithm cannot run it, or nobody sends.
[[nodiscard]] std::optional<double> bytesAgainstDataParallel(const Plan &plan, Scheme scheme);

} // namespace shardscope
