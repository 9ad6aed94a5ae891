// SPDX-License-Identifier: MIT
#include "engine/plan/parts/linear.h"
#include "engine/plan/schemes.h"

namespace shardscope {

// W is cut by columns, W = [W_0 | W_1 | ...], so rank i gets its own columns of Y from all of X:
//
//     Y_i  = X·W_i + b_i     complete: no collective, unless somebody wants Y whole (all-gather)
//     dX   = sum of dY_i·W_iᵀ     an addend on each rank: all-reduce
//     dW_i = Xᵀ·dY_i     complete: no collective
//
// The all-reduce falls away where X needs no gradient, as in a model's first layer. (Megatron-LM, layers.py,
// ColumnParallelLinear; Shoeybi 2019, section 3.)
void buildColumn(PlanBuilder &plan)
{
    const bool gather = plan.experiment().gatherOutput;

    const TensorId x = plan.activation("X", {plan.tokens(), plan.hidden()}, plan.whole());
    const Linear layer = columnLinear(plan, "W", "b", plan.hidden(), plan.ffn());
    layer.declare(plan);

    TensorId y = plan.addBias(plan.matMul("Y", x, layer.weightIn(plan)), layer.biasIn(plan));
    if (gather)
        y = plan.allGather(y, 1);
    plan.result(y);
    if (!plan.training())
        return;

    plan.setPass(Pass::Backward);
    TensorId dY = plan.arrivingGradient(y);
    if (gather)
        dY = plan.slice(dY, 1);
    if (plan.experiment().inputGradient)
        plan.result(plan.sum(plan.inputGradient("dX", dY, layer.weightIn(plan)), plan.experiment().overlap));
    parameterGradients(plan, layer, x, dY, dY);
    plan.gradientsAreResults();
}

} // namespace shardscope
