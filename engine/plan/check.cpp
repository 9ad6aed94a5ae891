// SPDX-License-Identifier: MIT
#include "engine/plan/layouts.h"
#include "engine/plan/plan.h"

#include <algorithm>
#include <set>

namespace shardscope {
namespace {

std::vector<std::int64_t> sizesOf(const Tensor &tensor, bool transposed = false)
{
    std::vector<std::int64_t> sizes;
    for (const Dim &dim : tensor.shape)
        sizes.push_back(dim.size);
    return transposed ? std::vector<std::int64_t>(sizes.rbegin(), sizes.rend()) : sizes;
}

bool matMulShapesFit(const Plan &plan, const Step &step)
{
    const auto a = sizesOf(plan.tensor(step.inputs[0]), step.transposeA);
    const auto b = sizesOf(plan.tensor(step.inputs[1]), step.transposeB);
    return a[1] == b[0] && sizesOf(plan.tensor(step.outputs[0])) == std::vector<std::int64_t>{a[0], b[1]};
}

bool shapesFit(const Plan &plan, const Step &step)
{
    if (step.kind == StepKind::MatMul)
        return matMulShapesFit(plan, step);
    const auto first = sizesOf(plan.tensor(step.inputs[0]));
    const auto output = sizesOf(plan.tensor(step.outputs[0]));
    if (step.kind == StepKind::SumRows)
        return output == std::vector<std::int64_t>{first.back()};
    if (step.kind == StepKind::AddBias)
        return output == first && sizesOf(plan.tensor(step.inputs[1])) == std::vector<std::int64_t>{first.back()};
    // Element by element, and where only the placement changes, all shapes are the same.
    const auto same = [&](TensorId id) { return sizesOf(plan.tensor(id)) == first; };
    return std::ranges::all_of(step.inputs, same) && std::ranges::all_of(step.outputs, same);
}

/// Single assignment: what a step reads is there, and what it makes was not.
std::optional<Text> orderProblem(const Plan &plan, const Step &step, std::set<TensorId> &there)
{
    for (const TensorId id : step.inputs) {
        if (!there.contains(id))
            return Text{TextId::RuleUsedBeforeMade, {plan.tensor(id).name}};
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
        if (!problem && !shapesFit(plan, step))
            problem = Text{TextId::RuleShapesDoNotFit, {step.label}};
        if (!problem)
            problem = placementProblem(plan, step);
        if (problem)
            return BrokenRule{*problem, step.id};
    }
    return std::nullopt;
}

} // namespace shardscope
