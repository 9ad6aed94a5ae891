// SPDX-License-Identifier: MIT
#include "engine/plan/parts/layer_part.h"
#include "engine/plan/parts/linear.h"
#include "engine/plan/schemes.h"

namespace shardscope {
namespace {

// Mistakes that are made in practice, built on purpose: the plan carries the rule that each breaks and the right way,
// and the numeric check shows what the mistake costs.

std::string ranksOf(const PlanBuilder &plan)
{
    return std::to_string(plan.ranks());
}

/// dX, reduced as it should be, and the parameters' gradients of a column layer.
void columnBackward(PlanBuilder &plan, const Linear &layer, TensorId x, TensorId dY)
{
    if (plan.experiment().inputGradient)
        plan.result(plan.sum(plan.inputGradient("dX", dY, layer.weightIn(plan))));
    parameterGradients(plan, layer, x, dY, dY);
    plan.gradientsAreResults();
}

void rowBackward(PlanBuilder &plan, const Linear &layer, TensorId x, TensorId y)
{
    plan.result(y);
    if (!plan.training())
        return;
    plan.setPass(Pass::Backward);
    const TensorId dY = plan.arrivingGradient(y);
    if (plan.experiment().inputGradient)
        plan.result(plan.inputGradient("dX", dY, layer.weightIn(plan)));
    parameterGradients(plan, layer, x, dY, dY);
    plan.gradientsAreResults();
}

struct RowLayer {
    TensorId x = kNoTensor;
    Linear layer;
    TensorId addend = kNoTensor;
};

RowLayer rowProduct(PlanBuilder &plan)
{
    plan.setRightScheme(Scheme::Row);
    RowLayer row;
    row.x = plan.activation("X", {plan.tokens(), plan.ffn()}, plan.columns());
    row.layer = rowLinear(plan, "W", "b", plan.ffn(), plan.hidden());
    row.layer.declare(plan);
    row.addend = plan.matMul("Y", row.x, row.layer.weightIn(plan));
    return row;
}

// Right: Y = (sum of X_i·W_i) + b. Here: Y = sum of (X_i·W_i + b), which holds N·b.
void rowBiasEachRank(PlanBuilder &plan)
{
    const RowLayer row = rowProduct(plan);
    plan.breakRule(Placement::partial(), {TextId::RemedyBiasOnce, {"Y", "b"}});
    const TensorId biased = plan.addBias(row.addend, row.layer.biasIn(plan));
    plan.entitle(TextId::TitleBugBiasEachRank, {"Y", "b"});
    plan.because(TextId::ReasonBugBiasEachRank, {ranksOf(plan), "Y", "b"});
    rowBackward(plan, row.layer, row.x, plan.sum(biased));
}

// Right: the sum of the addends. Here: their mean, as data parallelism takes it of gradients.
void averageInsteadOfSum(PlanBuilder &plan)
{
    const RowLayer row = rowProduct(plan);
    plan.breakRule(plan.whole(), {TextId::RemedySum, {"Y"}});
    const TensorId mean = plan.collective({.average = true}, row.addend);
    plan.entitle(TextId::TitleBugAverage, {"Y", ranksOf(plan)});
    plan.because(TextId::ReasonBugAverage, {ranksOf(plan), "Y"});
    rowBackward(plan, row.layer, row.x, plan.addBias(mean, row.layer.biasIn(plan)));
}

// Right: the sum of the addends. Here each rank keeps some columns of its own addend, and they are joined as if they
// were finished.
void concatPartials(PlanBuilder &plan)
{
    const RowLayer row = rowProduct(plan);
    plan.breakRule(plan.columns(), {TextId::RemedySum, {"Y"}});
    const TensorId part = plan.slice(row.addend, 1);
    plan.entitle(TextId::TitleBugConcat, {"Y"});
    plan.because(TextId::ReasonBugConcat, {ranksOf(plan), "Y"});
    const TensorId joined = plan.allGather(part, 1);
    plan.because(TextId::ReasonBugConcatGather, {ranksOf(plan), "Y"});
    rowBackward(plan, row.layer, row.x, plan.addBias(joined, row.layer.biasIn(plan)));
}

// Right: Y = [Y_0 | Y_1 | ...], joined by an all-gather if anybody wants it whole. Here each rank takes the sum of the
// Y_i for its own columns.
TensorId addedColumns(PlanBuilder &plan, TensorId columns)
{
    plan.breakRule(plan.columns(), {TextId::RemedyColumns, {plan.nameOf(columns)}}); // the shape stays a rank's own
    const TensorId y = plan.collective({}, columns);
    plan.entitle(TextId::TitleBugAllReduceColumns, {plan.nameOf(y)});
    plan.because(TextId::ReasonBugAllReduceColumns, {ranksOf(plan), plan.nameOf(y)});
    return y;
}

struct ColumnLayer {
    TensorId x = kNoTensor;
    Linear layer;
    TensorId y = kNoTensor;
};

ColumnLayer columnWithAddedColumns(PlanBuilder &plan)
{
    plan.setRightScheme(Scheme::Column);
    ColumnLayer column;
    column.x = plan.activation("X", {plan.tokens(), plan.hidden()}, plan.whole());
    column.layer = columnLinear(plan, "W", "b", plan.hidden(), plan.ffn());
    column.layer.declare(plan);
    column.y = plan.addBias(plan.matMul("Y", column.x, column.layer.weightIn(plan)), column.layer.biasIn(plan));
    column.y = addedColumns(plan, column.y);
    plan.result(column.y);
    return column;
}

void allReduceColumns(PlanBuilder &plan)
{
    const ColumnLayer column = columnWithAddedColumns(plan);
    if (!plan.training())
        return;
    plan.setPass(Pass::Backward);
    columnBackward(plan, column.layer, column.x, plan.arrivingGradient(column.y));
}

/// dW of different columns (or rows) added up as if they were addends of one.
TensorId addedWeightGradient(PlanBuilder &plan, TensorId dW)
{
    plan.breakRule(along(plan.tensor(dW).layout, MeshAxis::Tp), {TextId::RemedyWeightGradient, {plan.nameOf(dW)}});
    const TensorId added = plan.collective({}, dW);
    plan.entitle(TextId::TitleBugWeightGradient, {plan.nameOf(dW)});
    plan.because(TextId::ReasonBugWeightGradient, {ranksOf(plan), plan.nameOf(dW)});
    return added;
}

/// dX left as the addend that each rank has.
void unreducedInputGradient(PlanBuilder &plan, TensorId dX)
{
    plan.because(TextId::ReasonBugInputGradient, {ranksOf(plan), plan.nameOf(dX)});
    plan.unreducedResult(dX, {TextId::RemedyInputGradient, {plan.nameOf(dX)}});
}

// A popular exercise, as it stands: column fragments of W, an all-reduce of the output and of the weight gradient, and
// no reduce of the input gradient. It reduces where it must not, and not where it must.
void naiveExercise(PlanBuilder &plan)
{
    const ColumnLayer column = columnWithAddedColumns(plan);
    if (!plan.training())
        return;
    plan.setPass(Pass::Backward);
    const TensorId dY = plan.arrivingGradient(column.y);
    const TensorId w = column.layer.weightIn(plan);
    plan.result(addedWeightGradient(plan, plan.weightGradient(w, column.x, dY)));
    unreducedInputGradient(plan, plan.inputGradient("dX", dY, w));
}

/// The MLP pair up to H, with what backward needs.
struct MlpStart {
    TensorId x = kNoTensor;
    TensorId z = kNoTensor;
    TensorId h = kNoTensor;
    Linear first;
    Linear second;
};

MlpStart mlpStart(PlanBuilder &plan)
{
    plan.setRightScheme(Scheme::Mlp);
    MlpStart mlp;
    mlp.x = plan.activation("X", {plan.tokens(), plan.hidden()}, plan.whole());
    mlp.first = columnLinear(plan, "W1", "b1", plan.hidden(), plan.ffn());
    mlp.second = rowLinear(plan, "W2", "b2", plan.ffn(), plan.hidden());
    mlp.first.declare(plan);
    mlp.second.declare(plan);
    mlp.z = plan.addBias(plan.matMul("Z", mlp.x, mlp.first.weightIn(plan)), mlp.first.biasIn(plan));
    mlp.h = plan.elementwise(StepKind::Gelu, "H", {mlp.z}, "H = GELU(Z)");
    return mlp;
}

/// Forward and the way back to dZ are right; what comes after is the bug's.
TensorId mlpToGradient(PlanBuilder &plan, const MlpStart &mlp)
{
    const TensorId y =
        plan.addBias(plan.sum(plan.matMul("Y", mlp.h, mlp.second.weightIn(plan))), mlp.second.biasIn(plan));
    plan.result(y);
    plan.setPass(Pass::Backward);
    const TensorId dY = plan.arrivingGradient(y);
    const TensorId dH = plan.inputGradient("dH", dY, mlp.second.weightIn(plan));
    parameterGradients(plan, mlp.second, mlp.h, dY, dY);
    return plan.elementwise(StepKind::GeluBackward, "dZ", {dH, mlp.z}, "dZ = dH·GELU'(Z)");
}

void missingInputGradientReduce(PlanBuilder &plan)
{
    const MlpStart mlp = mlpStart(plan);
    const TensorId dZ = mlpToGradient(plan, mlp);
    unreducedInputGradient(plan, plan.inputGradient("dX", dZ, mlp.first.weightIn(plan)));
    parameterGradients(plan, mlp.first, mlp.x, dZ, dZ);
    plan.gradientsAreResults();
}

void allReduceWeightGradient(PlanBuilder &plan)
{
    const MlpStart mlp = mlpStart(plan);
    const TensorId dZ = mlpToGradient(plan, mlp);
    const TensorId w1 = mlp.first.weightIn(plan);
    if (plan.experiment().inputGradient)
        plan.result(plan.sum(plan.inputGradient("dX", dZ, w1)));
    const TensorId b1 = mlp.first.biasIn(plan);
    plan.parameterGradient(w1, addedWeightGradient(plan, plan.weightGradient(w1, mlp.x, dZ)));
    if (b1 != kNoTensor)
        plan.parameterGradient(b1, plan.biasGradient(b1, dZ));
    plan.gradientsAreResults();
}

// Right: the first layer by columns, so that H = GELU(Z) is finished on each rank. Here it is cut by rows, and GELU is
// taken of each addend before they are summed. The way back is that of what was computed, as autograd would take it: so
// GELU' is of addends, too.
void nonlinearityOnPartial(PlanBuilder &plan)
{
    plan.setRightScheme(Scheme::Mlp);
    const TensorId x = plan.activation("X", {plan.tokens(), plan.hidden()}, plan.columns());
    const Linear first = rowLinear(plan, "W1", "b1", plan.hidden(), plan.ffn());
    const Linear second = columnLinear(plan, "W2", "b2", plan.ffn(), plan.hidden());
    const TensorId z = plan.matMul("Z", x, first.weightIn(plan));
    plan.breakRule(Placement::partial(), {TextId::RemedyNonlinearity, {"H", "Z"}});
    const TensorId ofAddend = plan.elementwise(StepKind::Gelu, "H", {z}, "H = GELU(Z)");
    plan.entitle(TextId::TitleBugNonlinearity, {"Z"});
    plan.because(TextId::ReasonBugNonlinearity, {ranksOf(plan), "Z"});
    const TensorId h = plan.sum(ofAddend);
    plan.because(TextId::ReasonBugNonlinearity, {ranksOf(plan), "Z"});
    const TensorId y = plan.allGather(plan.matMul("Y", h, second.weightIn(plan)), 1);
    plan.result(y);
    if (!plan.training())
        return;
    plan.setPass(Pass::Backward);
    const TensorId dY = plan.slice(plan.arrivingGradient(y), 1);
    const TensorId dH = plan.sum(plan.inputGradient("dH", dY, second.weightIn(plan)));
    parameterGradients(plan, second, h, dY, dY);
    plan.breakRule(plan.whole(), {TextId::RemedyNonlinearity, {"H", "Z"}});
    const TensorId dZ = plan.elementwise(StepKind::GeluBackward, "dZ", {dH, z}, "dZ = dH·GELU'(Z)");
    plan.entitle(TextId::TitleBugNonlinearityBackward, {"dZ", "Z"});
    plan.because(TextId::ReasonBugNonlinearityBackward, {ranksOf(plan), "Z", "dZ"});
    if (plan.experiment().inputGradient)
        plan.result(plan.inputGradient("dX", dZ, first.weightIn(plan)));
    parameterGradients(plan, first, x, dZ, dZ);
    plan.gradientsAreResults();
}

// Each rank has a/N heads but works with all a, so it takes slices of heads for heads.
void unshardedHeads(PlanBuilder &plan)
{
    plan.setRightScheme(Scheme::Attention);
    const TensorId x = plan.activation("X", {plan.tokens(), plan.hidden()}, plan.whole());
    const auto attention = makeAttentionWithCutHeads(plan, {"Y", "dX"}, {TextId::RemedyHeads, {ranksOf(plan)}});
    const TensorId y = attention->forward(plan, x);
    plan.result(y);
    if (!plan.training())
        return;
    plan.setPass(Pass::Backward);
    const TensorId dX = attention->backward(plan, plan.arrivingGradient(y), plan.experiment().inputGradient);
    if (dX != kNoTensor)
        plan.result(dX);
    plan.gradientsAreResults();
}

// Ranks share a KV head and keep to themselves what they learnt about it.
void unreducedKv(PlanBuilder &plan)
{
    plan.setRightScheme(Scheme::Attention);
    const TensorId x = plan.activation("X", {plan.tokens(), plan.hidden()}, plan.whole());
    const auto attention = makeAttention(plan, {"Y", "dX"});
    const TensorId y = attention->forward(plan, x);
    plan.result(y);
    plan.setPass(Pass::Backward);
    const TensorId dX = attention->backward(plan, plan.arrivingGradient(y), plan.experiment().inputGradient);
    if (dX != kNoTensor)
        plan.result(dX);
    for (const Parameter *parameter : plan.parametersWithGradient()) {
        if (along(plan.tensor(parameter->fresh).layout, MeshAxis::Tp).isAddend())
            plan.unreducedResult(parameter->fresh, {TextId::RemedyKv, {plan.nameOf(parameter->fresh)}});
        else
            plan.result(parameter->fresh);
    }
}

} // namespace

void buildBug(PlanBuilder &plan)
{
    switch (plan.experiment().scheme) {
    case Scheme::BugRowBiasEachRank:
        return rowBiasEachRank(plan);
    case Scheme::BugAllReduceColumns:
        return allReduceColumns(plan);
    case Scheme::BugNonlinearityOnPartial:
        return nonlinearityOnPartial(plan);
    case Scheme::BugAllReduceWeightGradient:
        return allReduceWeightGradient(plan);
    case Scheme::BugMissingInputGradientReduce:
        return missingInputGradientReduce(plan);
    case Scheme::BugAverageInsteadOfSum:
        return averageInsteadOfSum(plan);
    case Scheme::BugConcatPartials:
        return concatPartials(plan);
    case Scheme::BugUnshardedHeads:
        return unshardedHeads(plan);
    case Scheme::BugUnreducedKv:
        return unreducedKv(plan);
    case Scheme::BugNaiveExercise:
        return naiveExercise(plan);
    default:
        break;
    }
}

} // namespace shardscope
