// SPDX-License-Identifier: MIT
#include "engine/plan/schemes.h"

namespace shardscope {
namespace {

const std::string &nameOf(const PlanBuilder &plan, TensorId id)
{
    return plan.tensor(id).name;
}

/// A column-parallel layer of X and what it makes; no collective in forward.
struct ColumnLayer {
    Linear layer;
    TensorId z = kNoTensor;
};

ColumnLayer columnLayer(PlanBuilder &plan, const Linear &layer, const std::string &result)
{
    return {layer, plan.addBias(plan.matMul(result, layer.x, layer.w), layer.bias)};
}

Linear columnWeights(PlanBuilder &plan, TensorId x, const std::string &suffix)
{
    const TensorId w = plan.weight("W" + suffix, {plan.hidden(), plan.ffn()}, plan.columns());
    return {x, w, plan.bias("b" + suffix, w)};
}

/// W2 and b2, row-parallel; what they multiply comes later.
Linear rowWeights(PlanBuilder &plan)
{
    const TensorId w = plan.weight("W2", {plan.ffn(), plan.hidden()}, plan.rows());
    return {kNoTensor, w, plan.bias("b2", w)};
}

/// Y = H·W2 + b2. H is cut by the columns that meet the rank's rows of W2, so it is used as it lies. That ends forward;
/// training goes back through the same layer at once. Gives dH, or kNoTensor in prefill and decode.
TensorId rowLayer(PlanBuilder &plan, TensorId h, const Linear &weights)
{
    const Linear down{h, weights.w, weights.bias};
    const TensorId addend = plan.matMul("Y", down.x, down.w);
    plan.because(TextId::ReasonSecondProduct, {nameOf(plan, down.x), nameOf(plan, down.w), plan.ffn().symbol, "Y"});
    const TensorId y = plan.addBias(plan.allReduce(addend), down.bias);
    plan.result(y);
    if (!plan.training())
        return kNoTensor;

    plan.beginBackward();
    const TensorId dY = plan.arrivingGradient(y);
    const TensorId dH = plan.inputGradient("dH", dY, down.w);
    weightGradients(plan, down, dY);
    return dH;
}

void buildGelu(PlanBuilder &plan, TensorId x)
{
    const Linear first = columnWeights(plan, x, "1");
    const Linear second = rowWeights(plan);

    const ColumnLayer up = columnLayer(plan, first, "Z");
    const TensorId dH = rowLayer(plan, plan.gelu("H", up.z), second);
    if (dH == kNoTensor)
        return;
    const TensorId dZ = plan.geluBackward("dZ", dH, up.z);
    if (plan.experiment().inputGradient)
        plan.result(plan.allReduce(plan.inputGradient("dX", dZ, first.w)));
    weightGradients(plan, first, dZ);
}

/// Gate and up read the same X, so their two addends of dX are added on the rank first, and one all-reduce serves both.
TensorId swiGluInputGradient(PlanBuilder &plan, const ColumnLayer &gate, const ColumnLayer &up, TensorId dG,
                             TensorId dU)
{
    const TensorId fromGate = plan.inputGradient("dXg", dG, gate.layer.w);
    const TensorId fromUp = plan.inputGradient("dXu", dU, up.layer.w);
    const TensorId dX = plan.add("dX", fromGate, fromUp);
    plan.because(TextId::ReasonSharedInputGradient, {"dXg", "dXu", "X"});
    return plan.allReduce(dX);
}

void buildSwiGlu(PlanBuilder &plan, TensorId x)
{
    const Linear gateLayer = columnWeights(plan, x, "g");
    const Linear upLayer = columnWeights(plan, x, "u");
    const Linear second = rowWeights(plan);

    const ColumnLayer gate = columnLayer(plan, gateLayer, "G");
    const ColumnLayer up = columnLayer(plan, upLayer, "U");
    const TensorId dH = rowLayer(plan, plan.swiGlu("H", gate.z, up.z), second);
    if (dH == kNoTensor)
        return;
    const std::vector<TensorId> dZ = plan.swiGluBackward(dH, gate.z, up.z);
    if (plan.experiment().inputGradient)
        plan.result(swiGluInputGradient(plan, gate, up, dZ[0], dZ[1]));
    weightGradients(plan, gate.layer, dZ[0]);
    weightGradients(plan, up.layer, dZ[1]);
}

} // namespace

// Column-parallel, then row-parallel, and GELU between them needs no neighbour:
//
//     H_i = GELU(X·W1_i + b1_i)     the rank's own columns of H, complete
//     Y   = (sum of H_i·W2_i) + b2     the columns of H_i meet just the rows in W2_i: one all-reduce
//
// So nothing travels between the two products, and backward needs one all-reduce too, of dX. The other order would cut
// GELU's input into addends, and GELU of a sum is not the sum of GELUs. (Shoeybi 2019, figure 3a.)
void buildMlp(PlanBuilder &plan)
{
    const TensorId x = plan.activation("X", {plan.tokens(), plan.hidden()}, plan.whole());
    if (plan.experiment().mlp == MlpKind::Gelu)
        buildGelu(plan, x);
    else
        buildSwiGlu(plan, x);
}

} // namespace shardscope
