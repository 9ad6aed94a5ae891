// SPDX-License-Identifier: MIT
#include "engine/plan/schemes.h"

namespace shardscope {
namespace {

constexpr int kTokens = 0;
constexpr int kColumns = 1;

/// Statistics are f32 whatever the layer computes in, as Megatron-LM has them; f64 in an f64 run.
DType statisticType(DType dtype)
{
    return dtype == DType::F64 ? DType::F64 : DType::F32;
}

/// Cross-entropy of logits whose columns, the vocabulary, may be cut: it needs three numbers per token from all ranks,
/// the maximum, the sum of exponentials and the target's logit, and no logit ever travels. (Megatron-LM,
/// cross_entropy.py.)
class CrossEntropy
{
public:
    CrossEntropy(PlanBuilder &plan, TensorId z, TensorId ids) : m_plan(plan), m_z(z), m_ids(ids) {}

    TensorId loss()
    {
        m_max = reduced(statistic(StepKind::RowMax, "M", {m_z}, "M = max Z"), ReduceOp::Max, TextId::ReasonRowMax);
        m_sum = reduced(statistic(StepKind::SumExp, "S", {m_z, m_max}, "S = Σ exp(Z − M)"), ReduceOp::Sum,
                        TextId::ReasonSumExp);
        const TensorId target = reduced(statistic(StepKind::TargetLogit, "T", {m_z, m_max, m_ids}, "T = Z[ids] − M"),
                                        ReduceOp::Sum, TextId::ReasonTargetLogit);
        return statistic(StepKind::CrossEntropy, "Loss", {m_sum, target}, "Loss = log S − T");
    }

    /// dZ of the mean loss.
    TensorId backward()
    {
        const Tensor dZ = m_plan.newTensor("dZ", m_plan.tensor(m_z).shape, TensorRole::Gradient);
        m_plan.setFactor(1.0 / static_cast<double>(m_plan.tokens().size));
        return m_plan
            .operation(StepKind::CrossEntropyBackward, {m_z, m_max, m_sum, m_ids}, {dZ}, "dZ = softmax − 1[ids]")
            .front();
    }

private:
    TensorId statistic(StepKind kind, const std::string &name, const std::vector<TensorId> &inputs, std::string label)
    {
        Tensor made = m_plan.newTensor(name, {m_plan.tokens()}, TensorRole::Statistic);
        made.dtype = statisticType(m_plan.experiment().dtype);
        return m_plan.operation(kind, inputs, {made}, std::move(label)).front();
    }

    TensorId reduced(TensorId x, ReduceOp op, TextId why)
    {
        if (!along(m_plan.tensor(x).layout, MeshAxis::Tp).isAddend())
            return x;
        return m_plan.collective({.reduce = op, .reason = {why, {m_plan.nameOf(x), std::to_string(m_plan.ranks())}}},
                                 x);
    }

    PlanBuilder &m_plan;
    TensorId m_z;
    TensorId m_ids;
    TensorId m_max = kNoTensor;
    TensorId m_sum = kNoTensor;
};

/// X as the product needs it: whole.
TensorId enter(PlanBuilder &plan, TensorId x, bool tokensCut, TextId why)
{
    return tokensCut ? plan.allGather(x, kTokens, {why, {plan.nameOf(x), std::to_string(plan.ranks())}}) : x;
}

void infer(PlanBuilder &plan, TensorId x, TensorId w)
{
    if (plan.experiment().phase == Phase::Prefill) {
        const Dim sequences{"b", plan.experiment().batch};
        x = plan.operation(StepKind::LastPosition, {x},
                           {plan.newTensor("X", {sequences, plan.hidden()}, TensorRole::Activation)}, "last of X")
                .front();
    }
    const TensorId y = plan.matMul("Y", x, w);
    plan.result(plan.allGather(y, kColumns, {TextId::ReasonGatherLastLogits, {"Y", std::to_string(plan.ranks())}}));
}

} // namespace

void buildLogits(PlanBuilder &plan)
{
    const Experiment &e = plan.experiment();
    const bool tokensCut = e.sequenceParallel != SequenceParallel::Off && plan.ranks() > 1;
    const TensorId x = plan.activation("X", {plan.tokens(), plan.hidden()}, tokensCut ? plan.rows() : plan.whole());
    const TensorId w = plan.weight("W", {plan.hidden(), plan.vocabulary()}, plan.columns());
    plan.setAttention({e.batch, 1}); // sequences whose last position counts
    if (!plan.training()) {
        infer(plan, enter(plan, x, tokensCut, TextId::ReasonGatherTokens), w);
        return;
    }

    const TensorId ids = plan.tokenIds("ids");
    const TensorId entered = enter(plan, x, tokensCut, TextId::ReasonGatherTokens);
    TensorId z = plan.matMul("Z", entered, w);
    if (e.gatherOutput)
        z = plan.allGather(z, kColumns, {TextId::ReasonGatherLogits, {"Z", std::to_string(plan.ranks())}});
    CrossEntropy crossEntropy(plan, z, ids);
    plan.result(crossEntropy.loss());

    plan.setPass(Pass::Backward);
    TensorId dZ = crossEntropy.backward();
    if (e.gatherOutput)
        dZ = plan.slice(dZ, kColumns);
    const bool again = tokensCut && e.sequenceParallel == SequenceParallel::Megatron;
    const TensorId forWeight = again ? enter(plan, x, true, TextId::ReasonGatherTokensAgain) : entered;
    if (e.inputGradient) {
        const TensorId dX = plan.inputGradient("dX", dZ, w);
        plan.result(tokensCut
                        ? plan.reduceScatter(
                              dX, kTokens, {TextId::ReasonScatterTokensBackward, {"dX", std::to_string(plan.ranks())}})
                        : plan.sum(dX, e.overlap));
    }
    plan.parameterGradient(w, plan.weightGradient(w, forWeight, dZ));
    plan.gradientsAreResults();
}

} // namespace shardscope
