// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/executor.h"
#include "engine/runtime/weights.h"

namespace shardscope {

/// What `rank` holds of every tensor that the plan starts from, by one seed.
[[nodiscard]] inline NamedTensors generatedShards(const Plan &plan, int rank)
{
    NamedTensors values;
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated)
            values[tensor.name] = generate(tensor, localRegion(tensor, plan.mesh(), rank), ValueSource(1));
    return values;
}

} // namespace shardscope
