// SPDX-License-Identifier: MIT
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
    const TensorId w = plan.weight("W", {plan.ffn(), plan.hidden()}, plan.rows());
    const TensorId b = plan.bias("b", w);

    if (!arrivesCut)
        x = plan.slice(x, 1);
    const Linear layer{x, w, b};
    const TensorId y = plan.addBias(plan.allReduce(plan.matMul("Y", x, w)), b);
    plan.result(y);
    if (!plan.training())
        return;

    plan.beginBackward();
    const TensorId dY = plan.arrivingGradient(y);
    if (plan.experiment().inputGradient) {
        TensorId dX = plan.inputGradient("dX", dY, w);
        if (!arrivesCut)
            dX = plan.allGather(dX, 1);
        plan.result(dX);
    }
    weightGradients(plan, layer, dY);
}

} // namespace shardscope
