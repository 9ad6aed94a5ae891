// SPDX-License-Identifier: MIT
#include "engine/plan/parts/layer_part.h"
#include "engine/plan/parts/projections.h"

#include <algorithm>

namespace shardscope {
namespace {

/// Columns of Q, and of K and V: heads times their size.
Dim queryColumns(const Experiment &e)
{
    return {"a·d", e.heads * e.headSize()};
}

Dim keyColumns(const Experiment &e)
{
    return {"k·d", e.kvHeads * e.headSize()};
}

/// So many neighbouring ranks share a KV head: with fewer of them than ranks each is held several times (vLLM,
/// linear.py, QKVParallelLinear).
int replicasOf(const PlanBuilder &plan)
{
    return std::max<int>(1, plan.ranks() / static_cast<int>(plan.experiment().kvHeads));
}

std::vector<Branch> projections(PlanBuilder &plan, const PairBoundary &boundary)
{
    const Experiment &e = plan.experiment();
    const auto branch = [&](const std::string &letter, const std::string &result, const Dim &out, int replicas) {
        return Branch{boundary.first(plan, "W" + letter, "b" + letter, plan.hidden(), out, replicas),
                      plan.scoped(result), plan.scoped("dX" + letter)};
    };
    return {branch("q", "Q", queryColumns(e), 1), branch("k", "K", keyColumns(e), replicasOf(plan)),
            branch("v", "V", keyColumns(e), replicasOf(plan))};
}

// Heads are independent, so they are what ranks share: Q, K and V are cut by columns, whole heads to each rank, core
// attention needs no neighbour, and the output projection is cut by the rows that meet the rank's heads:
//
//     C_i = softmax(Q_i·K_iᵀ/sqrt(d))·V_i     per head, complete: no collective inside
//     Y   = (sum of C_i·Wo_i) + bo     one all-reduce, as in the MLP
//
// One collective serves the gradients of all three projections, because they read the same X. (Shoeybi 2019, figure
// 3b; Megatron-LM, gpt_layer_specs.py.)
class Attention final : public LayerPart
{
public:
    Attention(PlanBuilder &plan, const PartNames &names, Ends ends, std::optional<Text> cutHeads = {})
        : m_cutHeads(std::move(cutHeads)), m_boundary(plan, ends),
          m_first(plan, m_boundary, projections(plan, m_boundary), names.inputGradient),
          m_second(
              plan, m_boundary,
              {m_boundary.second(plan, "Wo", "bo", queryColumns(plan.experiment()), plan.hidden()), names.output, ""},
              plan.scoped("dC"))
    {
        if (plan.experiment().phase == Phase::Decode)
            m_caches = {keyCache(plan, "Kc"), keyCache(plan, "Vc")};
    }

    TensorId forward(PlanBuilder &plan, TensorId x) override
    {
        m_qkv = m_first.forward(plan, x);
        return m_second.forward(plan, core(plan));
    }

    TensorId backward(PlanBuilder &plan, TensorId dY, bool wantsInputGradient) override
    {
        const TensorId dC = m_second.backward(plan, dY);
        if (plan.experiment().recompute == Recompute::Selective) {
            plan.setPass(Pass::Recompute);
            core(plan);
            plan.because(TextId::ReasonRecomputeCore, {plan.nameOf(m_p)});
            plan.setPass(Pass::Backward);
        }
        return m_first.backward(plan, coreBackward(plan, dC), wantsInputGradient);
    }

    void inputAgain(TensorId x) override { m_first.inputAgain(x); }

private:
    static TensorId keyCache(PlanBuilder &plan, const std::string &name)
    {
        const Experiment &e = plan.experiment();
        const Dim positions{"b·c", e.batch * e.cache * plan.ranks(MeshAxis::Dp)};
        const bool alone = plan.ranks() == 1 || e.pair == Pair::RowColumn;
        return plan.cache(name, {positions, keyColumns(e)},
                          alone ? plan.whole() : Placement::shard(1, replicasOf(plan)));
    }

    /// Announces core attention to the builder.
    void beginCore(PlanBuilder &plan) const
    {
        const std::int64_t headSize = plan.experiment().headSize();
        plan.setAttention({plan.experiment().batch, m_cutHeads ? headSize / plan.ranks() : headSize});
        if (m_cutHeads)
            plan.breakRule(plan.columns(), *m_cutHeads);
    }

    /// C, and P kept for backward: softmax's probabilities are what selective recomputation does without.
    TensorId core(PlanBuilder &plan)
    {
        const Experiment &e = plan.experiment();
        const bool decode = e.phase == Phase::Decode;
        const std::int64_t queries = decode ? 1 : e.sequence;
        const std::int64_t keys = decode ? e.cache + 1 : e.sequence;
        const std::string c = plan.scoped("C");
        const std::string p = plan.scoped("P");
        std::vector<TensorId> inputs = m_qkv;
        inputs.insert(inputs.end(), m_caches.begin(), m_caches.end());
        const std::vector<Dim> probabilities{{"b", e.batch * plan.ranks(MeshAxis::Dp)},
                                             m_cutHeads ? Dim{"N·a", e.heads * plan.ranks()} : Dim{"a", e.heads},
                                             {decode ? "1" : "s", queries},
                                             {decode ? "c+1" : "s", keys}};
        beginCore(plan);
        const auto made = plan.operation(StepKind::AttentionCore, inputs,
                                         {plan.newTensor(c, plan.tensor(m_qkv[0]).shape, TensorRole::Activation),
                                          plan.newTensor(p, probabilities, TensorRole::Activation)},
                                         c + " = attention(" + plan.nameOf(m_qkv[0]) + ", " + plan.nameOf(m_qkv[1]) +
                                             ", " + plan.nameOf(m_qkv[2]) + ")");
        sayWhatIsCut(plan);
        if (m_cutHeads)
            plan.entitle(TextId::TitleBugHeads, {c, std::to_string(e.heads)});
        m_p = made[1];
        return made[0];
    }

    /// Why core attention needs nobody else is not true of a part of a head.
    void sayWhatIsCut(PlanBuilder &plan) const
    {
        if (m_cutHeads)
            plan.because(TextId::ReasonBugHeads,
                         {std::to_string(plan.ranks()), std::to_string(plan.experiment().heads)});
    }

    std::vector<TensorId> coreBackward(PlanBuilder &plan, TensorId dC)
    {
        std::vector<Tensor> gradients;
        for (const TensorId id : m_qkv)
            gradients.push_back(plan.newTensor("d" + plan.nameOf(id), plan.tensor(id).shape, TensorRole::Gradient));
        beginCore(plan);
        auto made = plan.operation(StepKind::AttentionCoreBackward, {dC, m_qkv[0], m_qkv[1], m_qkv[2], m_p}, gradients,
                                   gradients[0].name + ", " + gradients[1].name + ", " + gradients[2].name + " from " +
                                       plan.nameOf(dC));
        sayWhatIsCut(plan);
        return made;
    }

    std::optional<Text> m_cutHeads; ///< the remedy, where heads are cut on purpose
    PairBoundary m_boundary;
    InputProjections m_first;
    OutputProjection m_second;
    std::vector<TensorId> m_caches;
    std::vector<TensorId> m_qkv;
    TensorId m_p = kNoTensor;
};

} // namespace

std::unique_ptr<LayerPart> makeAttention(PlanBuilder &plan, const PartNames &names, Ends ends)
{
    return std::make_unique<Attention>(plan, names, ends);
}

std::unique_ptr<LayerPart> makeAttentionWithCutHeads(PlanBuilder &plan, const PartNames &names, Text remedy)
{
    return std::make_unique<Attention>(plan, names, Ends::Closed, std::move(remedy));
}

} // namespace shardscope
