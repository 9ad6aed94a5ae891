// SPDX-License-Identifier: MIT
#include "engine/plan/explain.h"

namespace shardscope {
namespace {

/// The plan's words for one step.
class Explainer
{
public:
    Explainer(const Plan &plan, const Step &step) : m_plan(plan), m_step(step) {}

    [[nodiscard]] Text title() const
    {
        switch (m_step.kind) {
        case StepKind::MatMul:
            return matMulTitle();
        case StepKind::AddBias:
            return {TextId::TitleAddBias, {in(1).name, in(0).name}};
        case StepKind::Gelu:
            return {TextId::TitleGelu, {in(0).name}};
        case StepKind::GeluBackward:
            return {TextId::TitleGeluBackward, {out().name, in(0).name}};
        case StepKind::SwiGlu:
            return {TextId::TitleSwiGlu, {in(0).name, in(1).name}};
        case StepKind::SwiGluBackward:
            return {TextId::TitleSwiGluBackward, {out(0).name, out(1).name, in(0).name}};
        case StepKind::Add:
            return {TextId::TitleAdd, {in(0).name, in(1).name, out().name}};
        case StepKind::SumRows:
            return {TextId::TitleSumRows, {out().name, in(0).name}};
        case StepKind::Slice:
            return {TextId::TitleSlice, {in(0).name, share(out()), size(out())}};
        case StepKind::Collective:
            return collectiveTitle();
        }
        return {};
    }

    [[nodiscard]] Text reason() const
    {
        if (m_plan.mesh().size() == 1)
            return {TextId::ReasonOneRank, {}};
        switch (m_step.kind) {
        case StepKind::MatMul:
            return matMulReason();
        case StepKind::AddBias:
            return biasReason();
        case StepKind::Gelu:
            return {TextId::ReasonGelu, {in(0).name, out().name, symbol(out())}};
        case StepKind::SwiGlu:
            return {TextId::ReasonSwiGlu, {in(0).name, in(1).name, out().name, symbol(out())}};
        case StepKind::GeluBackward:
            return {TextId::ReasonGeluBackward, {out().name, in(0).name, in(1).name}};
        case StepKind::SwiGluBackward:
            return {TextId::ReasonSwiGluBackward, {out(0).name, out(1).name, in(0).name}};
        case StepKind::Add:
            return {TextId::ReasonAdd, {in(0).name, in(1).name, out().name}};
        case StepKind::SumRows:
            return sumRowsReason();
        case StepKind::Slice:
            return {forward() ? TextId::ReasonSliceForward : TextId::ReasonSliceBackward,
                    {in(0).name, share(out()), size(out())}};
        case StepKind::Collective:
            return collectiveReason();
        }
        return {};
    }

private:
    [[nodiscard]] const Tensor &in(std::size_t i) const { return m_plan.tensor(m_step.inputs[i]); }
    [[nodiscard]] const Tensor &out(std::size_t i = 0) const { return m_plan.tensor(m_step.outputs[i]); }
    [[nodiscard]] static const Placement &placement(const Tensor &t) { return along(t.layout, MeshAxis::Tp); }
    [[nodiscard]] bool forward() const { return m_step.pass == Pass::Forward; }
    [[nodiscard]] std::string ranks() const { return std::to_string(m_plan.mesh().extent(MeshAxis::Tp)); }

    /// The dimension in which a tensor is cut, or its last.
    [[nodiscard]] static const Dim &cutDim(const Tensor &t)
    {
        const Placement &p = placement(t);
        return p.kind == PlacementKind::Shard ? t.shape[static_cast<std::size_t>(p.dim)] : t.shape.back();
    }
    [[nodiscard]] static std::string symbol(const Tensor &t) { return cutDim(t).symbol; }
    [[nodiscard]] static std::string size(const Tensor &t) { return std::to_string(cutDim(t).size); }
    /// How many of them a rank holds.
    [[nodiscard]] std::string share(const Tensor &t) const { return share(cutDim(t)); }
    [[nodiscard]] std::string share(const Dim &dim) const
    {
        return std::to_string(sliceOf(dim.size, 0, m_plan.mesh().extent(MeshAxis::Tp)).length);
    }

    /// The dimension that the product sums over.
    [[nodiscard]] const Dim &inner() const { return in(0).shape[m_step.transposeA ? 0 : 1]; }
    [[nodiscard]] std::string factorA() const { return in(0).name + (m_step.transposeA ? "ᵀ" : ""); }
    [[nodiscard]] std::string factorB() const { return in(1).name + (m_step.transposeB ? "ᵀ" : ""); }

    [[nodiscard]] Text matMulTitle() const
    {
        const Placement &p = placement(out());
        if (p.kind == PlacementKind::Partial)
            return {TextId::TitleMatMulAddend, {out().name, shapeText(out())}};
        if (p.kind == PlacementKind::Replicated)
            return {TextId::TitleMatMulWhole, {out().name, shapeText(out()), factorA(), factorB()}};
        return {p.dim == 0 ? TextId::TitleMatMulRows : TextId::TitleMatMulColumns,
                {out().name, share(out()), size(out())}};
    }

    [[nodiscard]] Text matMulReason() const
    {
        const Placement &p = placement(out());
        if (p.kind == PlacementKind::Replicated)
            return {TextId::ReasonSameOnAll, {out().name}};
        if (out().role == TensorRole::WeightGradient)
            return weightGradientReason(p);
        if (p.kind == PlacementKind::Partial)
            return {forward() ? TextId::ReasonAddend : TextId::ReasonAddendBackward,
                    {inner().symbol, share(inner()), std::to_string(inner().size), in(0).name, in(1).name, out().name}};
        return {forward() ? TextId::ReasonColumns : TextId::ReasonColumnsBackward,
                {in(0).name, in(1).name, share(out()), size(out()), out().name}};
    }

    [[nodiscard]] Text weightGradientReason(const Placement &p) const
    {
        if (p == Placement::shard(0))
            return {TextId::ReasonWeightGradientRows, {in(0).name, in(1).name, out().name}};
        return {TextId::ReasonWeightGradientColumns, {in(0).name, in(1).name, out().name}};
    }

    [[nodiscard]] Text biasReason() const
    {
        if (placement(out()).kind == PlacementKind::Shard)
            return {TextId::ReasonBiasCut, {in(1).name, in(0).name, symbol(out())}};
        return {TextId::ReasonBiasOnce, {in(1).name, in(0).name, ranks()}};
    }

    [[nodiscard]] Text sumRowsReason() const
    {
        if (placement(out()).kind == PlacementKind::Shard)
            return {TextId::ReasonBiasGradientCut, {out().name, in(0).name}};
        return {TextId::ReasonBiasGradientWhole, {out().name, in(0).name}};
    }

    [[nodiscard]] Text collectiveTitle() const
    {
        switch (m_step.collective->op) {
        case CollectiveOp::AllReduce:
            return {TextId::TitleAllReduce, {in(0).name, shapeText(in(0)), ranks()}};
        case CollectiveOp::AllGather:
            return {TextId::TitleAllGather, {in(0).name, size(in(0))}};
        default:
            return {TextId::TitleCollective, {std::string(name(m_step.collective->op)), in(0).name}};
        }
    }

    [[nodiscard]] Text collectiveReason() const
    {
        if (m_step.collective->op == CollectiveOp::AllGather)
            return {forward() ? TextId::ReasonAllGatherForward : TextId::ReasonAllGatherBackward,
                    {in(0).name, share(in(0)), size(in(0))}};
        if (forward())
            return {TextId::ReasonAllReduceForward, {ranks(), in(0).name, shapeText(in(0)), summedDim()}};
        return {TextId::ReasonAllReduceBackward,
                {ranks(), in(0).name, shapeText(in(0)), summedDim(), in(0).name.substr(1)}}; // dX is X's gradient
    }

    /// The cut inner dimension that made the partial sum: of the product behind it.
    [[nodiscard]] std::string summedDim() const
    {
        const Step *maker = &m_step;
        while (maker->kind != StepKind::MatMul) {
            const int madeAt = m_plan.tensor(maker->inputs[0]).madeAt;
            if (madeAt < 0)
                return "";
            maker = &m_plan.steps[static_cast<std::size_t>(madeAt)];
        }
        return m_plan.tensor(maker->inputs[0]).shape[maker->transposeA ? 0 : 1].symbol;
    }

    const Plan &m_plan;
    const Step &m_step;
};

} // namespace

void explain(const Plan &plan, Step &step)
{
    const Explainer explainer(plan, step);
    step.title = explainer.title();
    step.reason = explainer.reason();
}

std::string shapeText(const Tensor &tensor)
{
    std::string text = "[";
    for (const Dim &dim : tensor.shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(dim.size);
    return text + "]";
}

} // namespace shardscope
