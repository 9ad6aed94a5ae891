// SPDX-License-Identifier: MIT
#include "engine/plan/parts/linear.h"
#include "engine/plan/schemes.h"

namespace shardscope {

// W is cut by rows, and X by the columns that meet them, X = [X_0 | X_1 | ...]:
//
//     Y    = (sum of X_i·W_i) + b     an addend on each rank: all-reduce, then the bias, once
//     dX_i = dY·W_iᵀ     complete: no collective, unless X arrived whole (all-gather)
//     dW_i = X_iᵀ·dY     complete: no collective
//
// (Megatron-LM, layers.py, RowParallelLinear.)
void buildRow(PlanBuilder &plan)
{
    const bool arrivesCut = plan.experiment().inputParallel;

    TensorId x = plan.activation("X", {plan.tokens(), plan.ffn()}, arrivesCut ? plan.columns() : plan.whole());
    const Linear layer = rowLinear(plan, "W", "b", plan.ffn(), plan.hidden());
    layer.declare(plan);

    if (!arrivesCut)
        x = plan.slice(x, 1);
    const TensorId y = plan.addBias(plan.sum(plan.matMul("Y", x, layer.weightIn(plan))), layer.biasIn(plan));
    plan.result(y);
    if (!plan.training())
        return;

    plan.setPass(Pass::Backward);
    const TensorId dY = plan.arrivingGradient(y);
    if (plan.experiment().inputGradient) {
        TensorId dX = plan.inputGradient("dX", dY, layer.weightIn(plan));
        if (!arrivesCut)
            dX = plan.allGather(dX, 1);
        plan.result(dX);
    }
    parameterGradients(plan, layer, x, dY, dY);
    plan.gradientsAreResults();
}

} // namespace shardscope
