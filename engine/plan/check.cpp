// SPDX-License-Identifier: MIT
#include "engine/plan/layouts.h"
#include "engine/plan/plan.h"

#include <algorithm>
#include <set>

namespace shardscope {
namespace {

std::vector<std::int64_t> sizesOf(const Tensor &tensor)
{
    std::vector<std::int64_t> sizes;
    for (const Dim &dim : tensor.shape)
        sizes.push_back(dim.size);
    return sizes;
}

using Sizes = std::vector<std::int64_t>;

/// The shapes of one step, input by input.
class Shapes
{
public:
    Shapes(const Plan &plan, const Step &step) : m_step(step)
    {
        for (const TensorId id : step.inputs)
            m_in.push_back(sizesOf(plan.tensor(id)));
        for (const TensorId id : step.outputs)
            m_out.push_back(sizesOf(plan.tensor(id)));
    }

    [[nodiscard]] bool fit() const
    {
        switch (m_step.kind) {
        case StepKind::MatMul:
            return matMulFits();
        case StepKind::Dequantize:
        case StepKind::AddBias:
            return m_out[0] == m_in[0] && m_in[1] == lastOf(m_in[0]);
        case StepKind::SumRows:
        case StepKind::LayerNormScaleGradient:
            return m_out[0] == lastOf(m_in[0]) && (m_in.size() == 1 || m_in[1] == m_in[0]);
        case StepKind::LayerNorm:
            return m_out[0] == m_in[0] && m_in[1] == lastOf(m_in[0]) && m_in[2] == m_in[1];
        case StepKind::LayerNormBackward:
            return m_out[0] == m_in[0] && m_in[1] == m_in[0] && m_in[2] == lastOf(m_in[0]);
        case StepKind::AttentionCore:
            return m_out[0] == m_in[0] && m_in[1] == m_in[2] && scoresFit(m_out[1], m_in[0]);
        case StepKind::AttentionCoreBackward:
            return m_in[0] == m_in[1] && m_out == std::vector<Sizes>{m_in[1], m_in[2], m_in[3]} &&
                   scoresFit(m_in[4], m_in[1]);
        case StepKind::EmbeddingLookup:
            return m_out[0] == Sizes{m_in[0][0], m_in[1][1]};
        case StepKind::EmbeddingBackward:
            return m_in[1] == Sizes{m_in[0][0], m_out[0][1]};
        case StepKind::LastPosition:
            return m_out[0][1] == m_in[0][1] && m_in[0][0] % m_out[0][0] == 0;
        case StepKind::RowMax:
        case StepKind::SumExp:
        case StepKind::TargetLogit:
            return m_out[0] == Sizes{m_in[0][0]} && vectorsFrom(1);
        case StepKind::CrossEntropyBackward:
            return m_out[0] == m_in[0] && vectorsFrom(1);
        case StepKind::Adam:
            return allLike(m_in) && allLike(m_out) && m_out[0] == m_in[0];
        case StepKind::Collective:
            return m_out == m_in;
        default:
            // Element by element, and where only the placement changes, all shapes are the same.
            return allLike(m_in) && allLike(m_out) && m_out[0] == m_in[0];
        }
    }

private:
    static Sizes lastOf(const Sizes &sizes) { return {sizes.back()}; }

    static bool allLike(const std::vector<Sizes> &shapes)
    {
        return std::ranges::all_of(shapes, [&](const Sizes &each) { return each == shapes.front(); });
    }

    [[nodiscard]] bool matMulFits() const
    {
        const auto turned = [](Sizes sizes, bool transposed) {
            return transposed ? Sizes(sizes.rbegin(), sizes.rend()) : sizes;
        };
        const Sizes a = turned(m_in[0], m_step.transposeA);
        const Sizes b = turned(m_in[1], m_step.transposeB);
        return a[1] == b[0] && m_out[0] == Sizes{a[0], b[1]};
    }

    /// P [sequences, heads, queries, keys] of Q [tokens, heads · d].
    [[nodiscard]] static bool scoresFit(const Sizes &p, const Sizes &q)
    {
        return p.size() == 4 && p[0] * p[2] == q[0] && q[1] % p[1] == 0;
    }

    /// One number per token.
    [[nodiscard]] bool vectorsFrom(std::size_t first) const
    {
        return std::all_of(m_in.begin() + static_cast<std::ptrdiff_t>(first), m_in.end(),
                           [&](const Sizes &each) { return each == Sizes{m_in[0][0]}; });
    }

    const Step &m_step;
    std::vector<Sizes> m_in;
    std::vector<Sizes> m_out;
};

/// Single assignment: what a step reads is there, and what it makes was not.
std::optional<Text> orderProblem(const Plan &plan, const Step &step, std::set<TensorId> &there)
{
    for (const TensorId id : step.inputs) {
        if (!there.contains(id))
            return Text{TextId::RuleUsedBeforeMade, {plan.tensor(id).name}};
        const int stage = plan.tensor(id).stage;
        if (stage != kEveryStage && stage != step.stage)
            return Text{TextId::RuleOtherStage, {plan.tensor(id).name}};
    }
    for (const TensorId id : step.outputs) {
        if (!there.insert(id).second)
            return Text{TextId::RuleMadeTwice, {plan.tensor(id).name}};
    }
    return std::nullopt;
}

std::optional<Text> placementProblem(const Plan &plan, const Step &step)
{
    const auto derived = deriveLayouts(plan, step);
    if (!derived)
        return derived.problem();
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        const Tensor &made = plan.tensor(step.outputs[i]);
        const int rank = static_cast<int>(made.shape.size());
        for (const MeshAxis axis : kMeshAxes) {
            const Placement &said = along(made.layout, axis);
            const Placement &right = along((*derived)[i], axis);
            if (said != right)
                return Text{TextId::RulePlacementDiffers, {made.name, describe(said, rank), describe(right, rank)}};
        }
    }
    return std::nullopt;
}

/// A result that nobody has: an addend on each rank.
std::optional<BrokenRule> unreducedResult(const Plan &plan)
{
    for (const TensorId id : plan.results) {
        const Tensor &result = plan.tensor(id);
        for (const MeshAxis axis : kMeshAxes) {
            if (along(result.layout, axis).isAddend())
                return BrokenRule{{TextId::RuleResultPartial, {result.name}}, result.madeAt, {}};
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<BrokenRule> check(const Plan &plan)
{
    std::set<TensorId> there;
    for (const Tensor &tensor : plan.tensors) {
        if (tensor.generated)
            there.insert(tensor.id);
    }
    for (const Step &step : plan.steps) {
        auto problem = orderProblem(plan, step, there);
        if (!problem && !Shapes(plan, step).fit())
            problem = Text{TextId::RuleShapesDoNotFit, {step.label}};
        if (!problem)
            problem = placementProblem(plan, step);
        if (problem)
            return BrokenRule{*problem, step.id, {}};
    }
    return unreducedResult(plan);
}

} // namespace shardscope
