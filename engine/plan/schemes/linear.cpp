// SPDX-License-Identifier: MIT
#include "engine/plan/schemes.h"

namespace shardscope {

void weightGradients(PlanBuilder &plan, const Linear &layer, TensorId dY)
{
    plan.result(plan.weightGradient(layer.w, layer.x, dY));
    if (layer.bias != kNoTensor)
        plan.result(plan.biasGradient(layer.bias, dY));
}

} // namespace shardscope
