// SPDX-License-Identifier: MIT
#include "engine/plan/layouts.h"

#include "engine/plan/algebra.h"

namespace shardscope {
namespace {

using Placements = std::vector<Placement>;

/// One step along one axis.
class Derivation
{
public:
    Derivation(const Plan &plan, const Step &step, MeshAxis axis) : m_plan(plan), m_step(step), m_axis(axis)
    {
        for (const TensorId id : step.inputs)
            m_in.push_back(along(plan.tensor(id).layout, axis));
    }

    [[nodiscard]] Expected<Placements> outputs() const
    {
        switch (m_step.kind) {
        case StepKind::Collective:
            return collective();
        case StepKind::Slice:
            return all(slice());
        case StepKind::AttentionCore:
            return attention();
        case StepKind::AttentionCoreBackward:
            return attentionBackward();
        case StepKind::Adam: // the gradient is used up
            return all(nonLinearPlacement(m_in));
        default:
            return all(single());
        }
    }

private:
    /// Kinds whose outputs are all placed alike.
    [[nodiscard]] Expected<Placement> single() const
    {
        switch (m_step.kind) {
        case StepKind::MatMul:
            return matMulPlacement(m_in[0], m_step.transposeA, m_in[1], m_step.transposeB);
        case StepKind::Dequantize:
            return scaleColumnsPlacement(m_in[0], m_in[1]);
        case StepKind::AddBias:
            return addBiasPlacement(m_in[0], m_in[1]);
        case StepKind::Add:
            return addPlacement(m_in[0], m_in[1]);
        case StepKind::SumRows:
            return sumRowsPlacement(m_in[0]);
        case StepKind::LayerNorm:
            return rowWisePlacement(m_in[0], rest(1));
        case StepKind::LayerNormBackward:
            return sameRows(rowWisePlacement(m_in[0], rest(2)));
        case StepKind::LayerNormScaleGradient:
            return sumOverRows(sameRows(rowWisePlacement(m_in[0], {})));
        case StepKind::EmbeddingLookup:
            return lookupPlacement(m_in[0], m_in[1]);
        case StepKind::EmbeddingBackward:
            return lookupGradient();
        case StepKind::LastPosition:
            return m_in[0].isShard() && m_in[0].dim == 0 && !wholeSequences()
                       ? Expected<Placement>(Text{TextId::RuleAttentionNeedsTokens, {}})
                       : Expected<Placement>(m_in[0]);
        case StepKind::RowMax:
            return rowStatisticPlacement(m_in[0], {}, ReduceOp::Max);
        case StepKind::SumExp:
        case StepKind::TargetLogit:
            return rowStatisticPlacement(m_in[0], rest(1), ReduceOp::Sum);
        case StepKind::CrossEntropyBackward:
            return withRowStatisticsPlacement(m_in[0], rest(1));
        case StepKind::Scale:
        case StepKind::Pad:
            return m_in[0]; // linear
        default:
            return nonLinearPlacement(m_in);
        }
    }

    [[nodiscard]] Expected<Placements> all(const Expected<Placement> &placement) const
    {
        if (!placement)
            return placement.problem();
        return Placements(m_step.outputs.size(), *placement);
    }

    [[nodiscard]] Placements rest(std::size_t from) const
    {
        return {m_in.begin() + static_cast<std::ptrdiff_t>(from), m_in.end()};
    }

    [[nodiscard]] const Placement &wanted() const
    {
        return along(m_plan.tensor(m_step.outputs.front()).layout, m_axis);
    }

    /// The dimension in which a slice cuts: its output says so, along the axis that cuts it.
    [[nodiscard]] Expected<Placement> slice() const
    {
        return wanted().isShard() && m_in[0] != wanted() ? slicePlacement(m_in[0], wanted().dim)
                                                         : Expected<Placement>(m_in[0]);
    }

    /// The gradient and the saved input of a norm lie alike.
    [[nodiscard]] Expected<Placement> sameRows(const Expected<Placement> &placement) const
    {
        if (placement && m_in[0] != m_in[1])
            return Text{TextId::RuleOperandsCutDifferently, {}};
        return placement;
    }

    static Expected<Placement> sumOverRows(const Expected<Placement> &placement)
    {
        return placement ? sumRowsPlacement(*placement) : placement;
    }

    /// A rank adds up the gradients of the rows of E that it holds, from all tokens; of tokens that are cut it has
    /// addends.
    [[nodiscard]] Expected<Placement> lookupGradient() const
    {
        if (m_in[1].isAddend() || m_in[1].kind == PlacementKind::Root)
            return Text{TextId::RuleNonLinearOnPartial, {}};
        if (m_in[1].isShard() && m_in[1].dim == 0)
            return Placement::partial();
        return wanted().isShard() ? wanted() : m_in[1];
    }

    /// Along dp and pp tokens are cut between whole sequences.
    [[nodiscard]] bool wholeSequences() const { return m_axis != MeshAxis::Tp; }

    [[nodiscard]] bool headsAreWhole() const
    {
        return m_step.attention.headSize == m_plan.experiment.headSize() || m_axis != MeshAxis::Tp;
    }

    [[nodiscard]] Expected<Placements> attention() const
    {
        if (!headsAreWhole())
            return Text{TextId::RuleHeadsCut, {}};
        const auto c = attentionPlacement(m_in[0], m_in[1], m_in[2], wholeSequences());
        if (!c)
            return c.problem();
        for (std::size_t cache = 3; cache < m_in.size(); ++cache) {
            if (m_in[cache] != m_in[1])
                return Text{TextId::RuleOperandsCutDifferently, {}};
        }
        return Placements{*c, *c}; // P's dimension 0 is sequences, 1 heads, as C's rows and columns are
    }

    [[nodiscard]] Expected<Placements> attentionBackward() const
    {
        if (!headsAreWhole())
            return Text{TextId::RuleHeadsCut, {}};
        const auto c = attentionPlacement(m_in[1], m_in[2], m_in[3], wholeSequences());
        if (!c)
            return c.problem();
        if (m_in[0] != *c || m_in[4] != *c)
            return Text{m_in[0].isAddend() ? TextId::RuleNonLinearOnPartial : TextId::RuleOperandsCutDifferently, {}};
        return attentionGradientPlacements(m_in[1], m_in[2], m_in[3]);
    }

    [[nodiscard]] Expected<Placements> collective() const
    {
        Placements out;
        for (const Placement &x : m_in) {
            const auto placement =
                m_step.collective->axis == m_axis ? collectivePlacement(*m_step.collective, x) : Expected<Placement>(x);
            if (!placement)
                return placement.problem();
            out.push_back(*placement);
        }
        return out;
    }

    const Plan &m_plan;
    const Step &m_step;
    MeshAxis m_axis;
    Placements m_in;
};

} // namespace

Expected<std::vector<Layout>> deriveLayouts(const Plan &plan, const Step &step)
{
    std::vector<Layout> layouts(step.outputs.size());
    for (const MeshAxis axis : kMeshAxes) {
        const auto placements = Derivation(plan, step, axis).outputs();
        if (!placements)
            return placements.problem();
        for (std::size_t i = 0; i < layouts.size(); ++i)
            along(layouts[i], axis) = (*placements)[i];
    }
    // A slice that cuts along no axis was to cut what is cut already.
    if (step.kind == StepKind::Slice && layouts.front() == plan.tensor(step.inputs.front()).layout)
        return Text{TextId::RuleSliceNeedsWhole, {}};
    return layouts;
}

} // namespace shardscope
