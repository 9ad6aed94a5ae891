// SPDX-License-Identifier: MIT
#include "engine/plan/parts/layer_part.h"

namespace shardscope {
namespace {

// Layer norm works on whole rows: every rank does it on all tokens alike, or, with sequence parallelism, on its own
// tokens. Then the gradients of its scale and shift are addends, because a rank has seen t/N tokens only.
class Norm final : public LayerPart
{
public:
    Norm(PlanBuilder &plan, PartNames names, int number)
        : m_names(std::move(names)), m_scale("g" + std::to_string(number)), m_shift("c" + std::to_string(number))
    {
        (void)scaleIn(plan);
        (void)shiftIn(plan);
    }

    TensorId forward(PlanBuilder &plan, TensorId x) override
    {
        m_x = x;
        return plan.elementwise(StepKind::LayerNorm, m_names.output, {x, scaleIn(plan), shiftIn(plan)},
                                m_names.output + " = norm(" + plan.nameOf(x) + ")");
    }

    TensorId backward(PlanBuilder &plan, TensorId dY, bool) override
    {
        const TensorId scale = scaleIn(plan);
        const TensorId shift = shiftIn(plan);
        const std::string &name = m_names.inputGradient;
        const TensorId dX = plan.elementwise(StepKind::LayerNormBackward, name, {dY, m_x, scale},
                                             name + " = norm'(" + plan.nameOf(m_x) + ")·" + plan.nameOf(dY));
        plan.parameterGradient(scale, plan.normScaleGradient(scale, dY, m_x));
        plan.parameterGradient(shift, plan.biasGradient(shift, dY));
        return dX;
    }

private:
    TensorId scaleIn(PlanBuilder &plan) const
    {
        return plan.parameter(m_scale, {plan.hidden()}, TensorRole::Bias, plan.whole(), 0, Fill::AroundOne);
    }
    TensorId shiftIn(PlanBuilder &plan) const
    {
        return plan.parameter(m_shift, {plan.hidden()}, TensorRole::Bias, plan.whole(), plan.hidden().size);
    }

    PartNames m_names;
    std::string m_scale;
    std::string m_shift;
    TensorId m_x = kNoTensor;
};

PartNames inner(const PlanBuilder &plan, const std::string &output, const std::string &inputGradient)
{
    return {plan.scoped(output), plan.scoped(inputGradient)};
}

// The pre-norm transformer layer: R = X + attention(norm(X)), Y = R + mlp(norm(R)). Two pairs, so two all-reduces
// forward and two backward. (Shoeybi 2019, figure 4.)
class Block final : public LayerPart
{
public:
    Block(PlanBuilder &plan, PartNames names)
        : m_names(std::move(names)), m_norm1(makeNorm(plan, inner(plan, "N1", "dXa"), 1)),
          m_attention(makeAttention(plan, inner(plan, "A", "dN1"))),
          m_norm2(makeNorm(plan, inner(plan, "N2", "dRm"), 2)), m_mlp(makeMlp(plan, inner(plan, "M", "dN2"))),
          m_residual(inner(plan, "R", "dR"))
    {
    }

    TensorId forward(PlanBuilder &plan, TensorId x) override
    {
        const TensorId a = m_attention->forward(plan, m_norm1->forward(plan, x));
        const TensorId r = plan.add(m_residual.output, x, a);
        const TensorId m = m_mlp->forward(plan, m_norm2->forward(plan, r));
        return plan.add(m_names.output, r, m);
    }

    TensorId backward(PlanBuilder &plan, TensorId dY, bool) override
    {
        const TensorId throughMlp = m_norm2->backward(plan, m_mlp->backward(plan, dY, true), true);
        const TensorId dR = plan.add(m_residual.inputGradient, dY, throughMlp);
        const TensorId throughAttention = m_norm1->backward(plan, m_attention->backward(plan, dR, true), true);
        return plan.add(m_names.inputGradient, dR, throughAttention);
    }

private:
    PartNames m_names;
    std::unique_ptr<LayerPart> m_norm1;
    std::unique_ptr<LayerPart> m_attention;
    std::unique_ptr<LayerPart> m_norm2;
    std::unique_ptr<LayerPart> m_mlp;
    PartNames m_residual;
};

// Attention and MLP read the same norm and add to the same residual (GPT-J, PaLM), so their addends are summed on the
// rank first: one all-reduce forward and one backward instead of two and two. With sequence parallelism one all-gather
// serves both, and one reduce-scatter. Nobody but the sum can add the biases of both output projections once.
class ParallelBlock final : public LayerPart
{
public:
    ParallelBlock(PlanBuilder &plan, PartNames names)
        : m_names(std::move(names)), m_boundary(plan), m_norm(makeNorm(plan, inner(plan, "N1", "dXa"), 1)),
          m_attention(makeAttention(plan, inner(plan, "A", "dN1a"), Ends::Open)),
          m_mlp(makeMlp(plan, inner(plan, "M", "dN1m"), Ends::Open)), m_sum(inner(plan, "S", "dN1"))
    {
    }

    TensorId forward(PlanBuilder &plan, TensorId x) override
    {
        m_n = m_norm->forward(plan, x);
        m_entered = m_boundary.enter(plan, m_n);
        const TensorId a = m_attention->forward(plan, m_entered);
        const TensorId m = m_mlp->forward(plan, m_entered);
        const TensorId addend = plan.add(m_sum.output, a, m);
        plan.because(bothReason(plan), {plan.nameOf(a), plan.nameOf(m)});
        const TensorId s = plan.addBias(m_boundary.leave(plan, addend, attentionBias(plan)), mlpBias(plan));
        return plan.add(m_names.output, x, s);
    }

    TensorId backward(PlanBuilder &plan, TensorId dY, bool) override
    {
        const TensorId dS = m_boundary.leaveBackward(plan, dY);
        const TensorId n = m_boundary.enterAgain(plan, m_n, m_entered);
        m_mlp->inputAgain(n);
        m_attention->inputAgain(n);
        const TensorId fromMlp = m_mlp->backward(plan, dS, true);
        const TensorId fromAttention = m_attention->backward(plan, dS, true);
        const TensorId addend = plan.add(m_sum.inputGradient, fromMlp, fromAttention);
        plan.because(bothReason(plan), {plan.nameOf(fromMlp), plan.nameOf(fromAttention)});
        const TensorId dN = m_boundary.enterBackward(plan, addend, false);
        for (const TensorId bias : {attentionBias(plan), mlpBias(plan)}) {
            if (bias != kNoTensor)
                plan.parameterGradient(bias, plan.biasGradient(bias, dY));
        }
        return plan.add(m_names.inputGradient, dY, m_norm->backward(plan, dN, true));
    }

private:
    /// Without tensor parallelism there is no collective that could serve both.
    static TextId bothReason(const PlanBuilder &plan)
    {
        return plan.ranks() > 1 ? TextId::ReasonOneSumForBoth : TextId::ReasonBothFromOneNorm;
    }

    static TensorId attentionBias(PlanBuilder &plan)
    {
        const Experiment &e = plan.experiment();
        return plan.bias("bo", plan.hidden(), plan.whole(), e.heads * e.headSize());
    }
    static TensorId mlpBias(PlanBuilder &plan)
    {
        return plan.bias("b2", plan.hidden(), plan.whole(), plan.experiment().ffn);
    }

    PartNames m_names;
    PairBoundary m_boundary; ///< of both pairs
    std::unique_ptr<LayerPart> m_norm;
    std::unique_ptr<LayerPart> m_attention;
    std::unique_ptr<LayerPart> m_mlp;
    PartNames m_sum;
    TensorId m_n = kNoTensor;       ///< the norm as it lies outside
    TensorId m_entered = kNoTensor; ///< all tokens of it
};

} // namespace

std::unique_ptr<LayerPart> makeNorm(PlanBuilder &plan, PartNames names, int number)
{
    return std::make_unique<Norm>(plan, std::move(names), number);
}

std::unique_ptr<LayerPart> makeBlock(PlanBuilder &plan, const PartNames &names)
{
    if (plan.experiment().parallelBlock)
        return std::make_unique<ParallelBlock>(plan, names);
    return std::make_unique<Block>(plan, names);
}

std::unique_ptr<LayerPart> makeLayer(PlanBuilder &plan, Layer layer, const PartNames &names)
{
    switch (layer) {
    case Layer::Mlp:
        return makeMlp(plan, names);
    case Layer::Attention:
        return makeAttention(plan, names);
    case Layer::Block:
        break;
    }
    return makeBlock(plan, std::move(names));
}

} // namespace shardscope
