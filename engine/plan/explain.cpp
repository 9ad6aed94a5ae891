// SPDX-License-Identifier: MIT
#include "engine/plan/explain.h"

#include "engine/plan/explain_collective.h"
#include "engine/plan/option_reading.h"

#include <cmath>

namespace shardscope {
namespace {

/// Tensor-parallel cuts are explained where there are any, else those of the other axes.
MeshAxis axisOf(const Plan &plan, const Step &step)
{
    if (step.kind == StepKind::Slice && step.pass == Pass::Optimizer)
        return MeshAxis::Dp;
    return plan.mesh().extent(MeshAxis::Tp) > 1 ? MeshAxis::Tp : MeshAxis::Dp;
}

/// The plan's words for one step.
class Explainer
{
public:
    Explainer(const Plan &plan, const Step &step) : m_plan(plan), m_step(step), m_axis(axisOf(plan, step)) {}

    [[nodiscard]] Text title() const
    {
        switch (m_step.kind) {
        case StepKind::MatMul:
            return matMulTitle();
        case StepKind::Dequantize:
            return {TextId::TitleDequantize, {in(0).name, std::string(name(out().dtype))}};
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
            return sliceTitle();
        case StepKind::Collective:
            return collectiveTitle(m_plan, m_step);
        default:
            return largerTitle();
        }
    }

    [[nodiscard]] Text reason() const
    {
        if (m_step.kind == StepKind::Dequantize) // one rank does it too
            return dequantizeReason();
        if (m_plan.mesh().size() == 1)
            return {TextId::ReasonOneRank, {}};
        if (m_step.kind != StepKind::Collective && m_plan.mesh().extent(m_axis) == 1)
            return {TextId::ReasonOwnStage, {std::to_string(m_step.stage)}};
        switch (m_step.kind) {
        case StepKind::MatMul:
            return matMulReason();
        case StepKind::AddBias:
            return biasReason();
        case StepKind::Gelu:
            return elementwiseReason({summedBefore() ? TextId::ReasonGeluAfterSum : TextId::ReasonGelu,
                                      {in(0).name, out().name, symbol(out())}});
        case StepKind::SwiGlu:
            return elementwiseReason({summedBefore() ? TextId::ReasonSwiGluAfterSum : TextId::ReasonSwiGlu,
                                      {in(0).name, in(1).name, out().name, symbol(out())}});
        case StepKind::GeluBackward:
            return elementwiseReason({TextId::ReasonGeluBackward, {out().name, in(0).name, in(1).name}});
        case StepKind::SwiGluBackward:
            return elementwiseReason({TextId::ReasonSwiGluBackward, {out(0).name, out(1).name, in(0).name}});
        case StepKind::Add:
            return {TextId::ReasonAdd, {in(0).name, in(1).name, out().name}};
        case StepKind::SumRows:
            return sumRowsReason();
        case StepKind::Slice:
            return sliceReason();
        case StepKind::Collective:
            return collectiveReason(m_plan, m_step);
        default:
            return largerReason();
        }
    }

private:
    [[nodiscard]] Text largerTitle() const
    {
        switch (m_step.kind) {
        case StepKind::Scale:
            return {TextId::TitleScale, {in(0).name, std::to_string(std::llround(1 / m_step.factor))}};
        case StepKind::LayerNorm:
            return {TextId::TitleLayerNorm, {in(0).name, out().name}};
        case StepKind::LayerNormBackward:
            return {TextId::TitleLayerNormBackward, {out().name, in(0).name}};
        case StepKind::LayerNormScaleGradient:
            return {TextId::TitleLayerNormScaleGradient, {out().name, in(0).name, in(1).name}};
        case StepKind::AttentionCore:
            return {TextId::TitleAttentionCore,
                    {out().name, share(out(1).shape[1]), std::to_string(out(1).shape[1].size)}};
        case StepKind::AttentionCoreBackward:
            return {TextId::TitleAttentionCoreBackward, {out(0).name, out(1).name, out(2).name, in(0).name}};
        case StepKind::EmbeddingLookup:
            return {TextId::TitleEmbeddingLookup, {out().name, in(1).name}};
        case StepKind::EmbeddingBackward:
            return {TextId::TitleEmbeddingBackward, {out().name, in(1).name}};
        case StepKind::LastPosition:
            return {TextId::TitleLastPosition, {in(0).name}};
        case StepKind::RowMax:
            return {TextId::TitleRowMax, {out().name}};
        case StepKind::SumExp:
            return {TextId::TitleSumExp, {out().name}};
        case StepKind::TargetLogit:
            return {TextId::TitleTargetLogit, {out().name}};
        case StepKind::CrossEntropy:
            return {TextId::TitleCrossEntropy, {out().name}};
        case StepKind::CrossEntropyBackward:
            return {TextId::TitleCrossEntropyBackward, {out().name}};
        case StepKind::Adam:
            return {TextId::TitleAdam, {in(0).name}};
        case StepKind::Pad:
            return {TextId::TitlePad, {numberText(m_step.padMs)}};
        default:
            return {};
        }
    }

    [[nodiscard]] Text largerReason() const
    {
        switch (m_step.kind) {
        case StepKind::Scale:
            return {TextId::ReasonScale, {}};
        case StepKind::LayerNorm:
            return {TextId::ReasonLayerNorm, {}};
        case StepKind::LayerNormBackward:
            return {TextId::ReasonLayerNormBackward, {}};
        case StepKind::LayerNormScaleGradient:
            return sumRowsReason();
        case StepKind::AttentionCore:
            return {TextId::ReasonAttentionCore, {}};
        case StepKind::AttentionCoreBackward:
            return {TextId::ReasonAttentionCoreBackward, {}};
        case StepKind::EmbeddingLookup:
            return {TextId::ReasonEmbeddingLookup, {in(1).name, share(in(1)), size(in(1))}};
        case StepKind::EmbeddingBackward:
            return {TextId::ReasonEmbeddingBackward, {out().name, in(1).name}};
        case StepKind::LastPosition:
            return {TextId::ReasonLastPosition, {}};
        case StepKind::RowMax:
        case StepKind::SumExp:
        case StepKind::TargetLogit:
            return placement(out()).isAddend()
                       ? Text{TextId::ReasonRowStatistic, {in(0).name, share(in(0)), size(in(0))}}
                       : wholeOnAll({TextId::ReasonLocal, {out().name}});
        case StepKind::CrossEntropy:
            return gathered() ? wholeOnAll({}) : Text{TextId::ReasonCrossEntropy, {}};
        case StepKind::CrossEntropyBackward:
            return gathered() ? wholeOnAll({}) : Text{TextId::ReasonCrossEntropyBackward, {}};
        case StepKind::Adam:
            return {TextId::ReasonAdam, {in(0).name}};
        case StepKind::Pad:
            return {TextId::ReasonPad, {}};
        default:
            return {};
        }
    }

    [[nodiscard]] Text sliceTitle() const
    {
        const Placement &cut = placement(out());
        const TextId id = out().shape.size() == 1 ? TextId::TitleSliceElements
                          : cut.dim == 0          ? TextId::TitleSliceRows
                                                  : TextId::TitleSlice;
        return {id, {in(0).name, share(out()), size(out())}};
    }

    [[nodiscard]] Text sliceReason() const
    {
        if (m_step.pass == Pass::Optimizer)
            return {TextId::ReasonSliceOwn, {in(0).name, std::to_string(m_plan.mesh().extent(MeshAxis::Dp))}};
        if (forward())
            return {TextId::ReasonSliceForward, {in(0).name, share(out()), size(out()), holders(in(0))}};
        return {TextId::ReasonSliceBackward, {in(0).name, share(out()), size(out())}};
    }

    [[nodiscard]] const Tensor &in(std::size_t i) const { return m_plan.tensor(m_step.inputs[i]); }
    [[nodiscard]] const Tensor &out(std::size_t i = 0) const { return m_plan.tensor(m_step.outputs[i]); }
    [[nodiscard]] const Placement &placement(const Tensor &t) const { return along(t.layout, m_axis); }
    [[nodiscard]] bool forward() const { return m_step.pass == Pass::Forward || m_step.pass == Pass::Recompute; }
    [[nodiscard]] std::string ranks() const { return std::to_string(m_plan.mesh().extent(m_axis)); }

    [[nodiscard]] Tensor group(const Tensor &t) const { return groupsTensor(m_plan, t, m_axis); }

    /// Who has a tensor whole that is not cut along the axis: ranks of other replicas and stages have another one.
    [[nodiscard]] std::string holders(const Tensor &t) const
    {
        const bool ofReplica = m_axis == MeshAxis::Tp && m_plan.mesh().extent(MeshAxis::Dp) > 1 &&
                               along(t.layout, MeshAxis::Dp) != Placement::replicated();
        const bool ofStage = m_plan.mesh().extent(MeshAxis::Pp) > 1 && t.stage != kEveryStage;
        return english({ofReplica ? TextId::EveryRankOfReplica
                        : ofStage ? TextId::EveryRankOfStage
                                  : TextId::EveryRank,
                        {}});
    }
    /// A gradient that is complete along tp, and still one of the replicas' addends.
    [[nodiscard]] bool ofReplica(const Tensor &gradient) const
    {
        return m_axis == MeshAxis::Tp && along(gradient.layout, MeshAxis::Dp).isAddend();
    }

    /// The dimension in which a tensor is cut, or its last.
    [[nodiscard]] Dim cutDim(const Tensor &t) const
    {
        const Placement &p = placement(t);
        const Tensor whole = group(t);
        return p.kind == PlacementKind::Shard ? whole.shape[static_cast<std::size_t>(p.dim)] : whole.shape.back();
    }
    [[nodiscard]] std::string symbol(const Tensor &t) const { return cutDim(t).symbol; }
    [[nodiscard]] std::string size(const Tensor &t) const { return std::to_string(cutDim(t).size); }
    /// How many of them a rank holds.
    [[nodiscard]] std::string share(const Tensor &t) const { return share(cutDim(t), placement(t).replicas); }
    [[nodiscard]] std::string share(const Dim &dim, int replicas = 1) const
    {
        return std::to_string(sliceOf(dim.size, 0, m_plan.mesh().extent(m_axis) / replicas).length);
    }

    /// The dimension that the product sums over.
    [[nodiscard]] Dim inner() const { return group(in(0)).shape[m_step.transposeA ? 0 : 1]; }
    [[nodiscard]] std::string factorA() const { return in(0).name + (m_step.transposeA ? "ᵀ" : ""); }
    [[nodiscard]] std::string factorB() const { return in(1).name + (m_step.transposeB ? "ᵀ" : ""); }

    [[nodiscard]] Text matMulTitle() const
    {
        const Placement &p = placement(out());
        if (p.kind == PlacementKind::Partial)
            return {TextId::TitleMatMulAddend, {out().name, shapeText(group(out()))}};
        if (p.kind == PlacementKind::Replicated)
            return {TextId::TitleMatMulWhole, {out().name, shapeText(group(out())), factorA(), factorB()}};
        return {p.dim == 0 ? TextId::TitleMatMulRows : TextId::TitleMatMulColumns,
                {out().name, share(out()), size(out())}};
    }

    [[nodiscard]] Text matMulReason() const
    {
        const Placement &p = placement(out());
        if (p.kind == PlacementKind::Replicated)
            return {TextId::ReasonSameOnAll, {out().name, holders(in(0))}};
        if (p.isShard() && p.dim == 0 && placement(in(0)).isShard() && !m_step.transposeA)
            return {TextId::ReasonOwnTokens, {out().name}};
        if (out().role == TensorRole::WeightGradient)
            return weightGradientReason(p);
        if (p.kind == PlacementKind::Partial)
            return {forward() ? TextId::ReasonAddend : TextId::ReasonAddendBackward,
                    {inner().symbol, share(inner(), placement(in(0)).replicas), std::to_string(inner().size),
                     in(0).name, in(1).name, out().name}};
        return {forward() ? TextId::ReasonColumns : TextId::ReasonColumnsBackward,
                {in(0).name, in(1).name, share(out()), size(out()), out().name, holders(in(0))}};
    }

    [[nodiscard]] Text dequantizeReason() const
    {
        const Placement &cut = along(in(0).layout, MeshAxis::Tp);
        std::vector<std::string> args{in(0).name, std::string(name(out().dtype))};
        if (!cut.isShard())
            return {TextId::ReasonDequantize, std::move(args)};
        if (cut.dim == 1)
            return {TextId::ReasonDequantizeColumns, std::move(args)};
        args.push_back(std::to_string(m_plan.mesh().extent(MeshAxis::Tp)));
        return {TextId::ReasonDequantizeRows, std::move(args)};
    }

    [[nodiscard]] Text weightGradientReason(const Placement &p) const
    {
        if (p.addends)
            return {TextId::ReasonHeadGradientAddend, {out().name, std::to_string(p.replicas)}};
        if (p.isAddend())
            return {tokenAddend(), {out().name, ranks()}};
        const bool alongDp = ofReplica(out());
        if (p.isShard() && p.dim == 0)
            return {alongDp ? TextId::ReasonWeightGradientRowsOfReplica : TextId::ReasonWeightGradientRows,
                    {in(0).name, in(1).name, out().name, holders(in(1))}};
        return {alongDp ? TextId::ReasonWeightGradientColumnsOfReplica : TextId::ReasonWeightGradientColumns,
                {in(0).name, in(1).name, out().name, holders(in(0))}};
    }

    [[nodiscard]] bool cutByRows(const Tensor &t) const { return placement(t).isShard() && placement(t).dim == 0; }

    /// Both layers of the pair are cut by rows, and what the first one leaves is reduce-scattered by columns.
    [[nodiscard]] bool summedBefore() const { return m_plan.experiment.pair == Pair::RowRow; }
    /// The naive way: every rank has all logits.
    [[nodiscard]] bool gathered() const { return m_plan.experiment.gatherOutput; }
    [[nodiscard]] Text wholeOnAll(Text otherwise) const
    {
        if (placement(in(0)) == Placement::replicated())
            return {TextId::ReasonWholeOnAll, {in(0).name, out().name, holders(in(0))}};
        return otherwise;
    }

    /// `byColumns` holds where columns are cut, as in Megatron's pair.
    [[nodiscard]] Text elementwiseReason(Text byColumns) const
    {
        if (cutByRows(out()))
            return {TextId::ReasonOwnRows, {in(0).name}};
        return placement(out()) == Placement::replicated() ? wholeOnAll(std::move(byColumns)) : byColumns;
    }

    [[nodiscard]] Text biasReason() const
    {
        if (cutByRows(out()))
            return {TextId::ReasonBiasOwnRows, {in(1).name, in(0).name}};
        if (placement(out()).kind == PlacementKind::Shard)
            return {TextId::ReasonBiasCut, {in(1).name, in(0).name, symbol(out())}};
        return {TextId::ReasonBiasOnce, {in(1).name, in(0).name, ranks(), holders(in(0))}};
    }

    [[nodiscard]] Text sumRowsReason() const
    {
        if (placement(out()).addends)
            return {TextId::ReasonHeadGradientAddend, {out().name, std::to_string(placement(out()).replicas)}};
        if (placement(out()).isAddend())
            return {tokenAddend(), {out().name, ranks()}};
        const bool alongDp = ofReplica(out());
        if (placement(out()).kind == PlacementKind::Shard)
            return {alongDp ? TextId::ReasonBiasGradientCutOfReplica : TextId::ReasonBiasGradientCut,
                    {out().name, in(0).name}};
        return {alongDp ? TextId::ReasonBiasGradientWholeOfReplica : TextId::ReasonBiasGradientWhole,
                {out().name, in(0).name, holders(in(0))}};
    }

    /// Why a gradient is a sum over the ranks of the axis: a replica's tokens, or a rank's with sequence parallelism.
    [[nodiscard]] TextId tokenAddend() const
    {
        return m_axis == MeshAxis::Dp ? TextId::ReasonOwnTokensGradient : TextId::ReasonTokenGradientAddend;
    }

    const Plan &m_plan;
    const Step &m_step;
    MeshAxis m_axis; ///< the axis whose cuts are explained
};

} // namespace

void explain(const Plan &plan, Step &step)
{
    const Explainer explainer(plan, step);
    step.title = explainer.title();
    step.reason = explainer.reason();
}

Tensor groupsTensor(const Plan &plan, const Tensor &tensor, MeshAxis axis)
{
    Tensor group = tensor;
    along(group.layout, axis) = Placement::replicated();
    const std::vector<std::int64_t> shape =
        localShape(group, plan.mesh(), rankWithLargestShare(plan.mesh(), tensor.stage));
    for (std::size_t i = 0; i < shape.size(); ++i)
        group.shape[i].size = shape[i];
    return group;
}

std::string shapeText(const Tensor &tensor)
{
    std::string text = "[";
    for (const Dim &dim : tensor.shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(dim.size);
    return text + "]";
}

} // namespace shardscope
