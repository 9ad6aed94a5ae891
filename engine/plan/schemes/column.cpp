// SPDX-License-Identifier: MIT
#include "engine/plan/schemes.h"

namespace shardscope {

// Forward needs no collective unless somebody wants Y whole. Backward all-reduces dX: every rank used all of X, but
// only its own columns of W, so it knows an addend of X's gradient. (Megatron-LM, ColumnParallelLinear.)
void buildColumn(PlanBuilder &plan)
{
    const bool gather = plan.experiment().gatherOutput;

    const TensorId x = plan.activation("X", {plan.tokens(), plan.hidden()}, plan.whole());
    const TensorId w = plan.weight("W", {plan.hidden(), plan.ffn()}, plan.columns());
    const Linear layer{x, w, plan.bias("b", w)};

    TensorId y = plan.matMul("Y", x, w);
    y = plan.addBias(y, layer.bias);
    if (gather)
        y = plan.allGather(y, 1);
    plan.result(y);
    if (!plan.training())
        return;

    plan.beginBackward();
    TensorId dY = plan.arrivingGradient(y);
    if (gather)
        dY = plan.slice(dY, 1);
    if (plan.experiment().inputGradient)
        plan.result(plan.allReduce(plan.inputGradient("dX", dY, w)));
    weightGradients(plan, layer, dY);
}

} // namespace shardscope
