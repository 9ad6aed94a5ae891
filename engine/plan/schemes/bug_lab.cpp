// SPDX-License-Identifier: MIT
#include "engine/plan/schemes.h"

namespace shardscope {

// Mistakes that are made in practice, built on purpose: the plan carries the rule that they break, and the numeric
// check shows what the mistake costs.

// Right: Y = (sum of X_i·W_i) + b. Here: Y = sum of (X_i·W_i + b), which holds N·b.
void buildBugRowBiasEachRank(PlanBuilder &plan)
{
    const TensorId x = plan.activation("X", {plan.tokens(), plan.ffn()}, plan.columns());
    const TensorId w = plan.weight("W", {plan.ffn(), plan.hidden()}, plan.rows());
    const TensorId b = plan.bias("b", w);

    const TensorId addend = plan.matMul("Y", x, w);
    plan.breakRule(Placement::partial());
    const TensorId biased = plan.addBias(addend, b);
    plan.entitle(TextId::TitleBugBiasEachRank, {"Y", "b"});
    plan.because(TextId::ReasonBugBiasEachRank, {std::to_string(plan.experiment().ranks()), "Y", "b"});
    const TensorId y = plan.allReduce(biased);
    plan.result(y);
    if (!plan.training())
        return;

    plan.beginBackward();
    const TensorId dY = plan.arrivingGradient(y);
    if (plan.experiment().inputGradient)
        plan.result(plan.inputGradient("dX", dY, w));
    weightGradients(plan, {x, w, b}, dY);
}

// Right: Y = [Y_0 | Y_1 | ...], joined by an all-gather if anybody wants it whole. Here each rank takes the sum of the
// Y_i for its own columns.
void buildBugAllReduceColumns(PlanBuilder &plan)
{
    const TensorId x = plan.activation("X", {plan.tokens(), plan.hidden()}, plan.whole());
    const TensorId w = plan.weight("W", {plan.hidden(), plan.ffn()}, plan.columns());
    const Linear layer{x, w, plan.bias("b", w)};

    const TensorId columns = plan.addBias(plan.matMul("Y", x, w), layer.bias);
    plan.breakRule(plan.columns()); // the shape stays that of a rank's own columns
    const TensorId y = plan.allReduce(columns);
    plan.entitle(TextId::TitleBugAllReduceColumns, {"Y"});
    plan.because(TextId::ReasonBugAllReduceColumns, {std::to_string(plan.experiment().ranks()), "Y"});
    plan.result(y);
    if (!plan.training())
        return;

    plan.beginBackward();
    const TensorId dY = plan.arrivingGradient(y);
    if (plan.experiment().inputGradient)
        plan.result(plan.allReduce(plan.inputGradient("dX", dY, w)));
    weightGradients(plan, layer, dY);
}

} // namespace shardscope
