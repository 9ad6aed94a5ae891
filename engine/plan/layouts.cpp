// SPDX-License-Identifier: MIT
#include "engine/plan/layouts.h"

#include "engine/plan/algebra.h"

namespace shardscope {
namespace {

std::vector<Placement> inputPlacements(const Plan &plan, const Step &step, MeshAxis axis)
{
    std::vector<Placement> placements;
    for (const TensorId id : step.inputs)
        placements.push_back(along(plan.tensor(id).layout, axis));
    return placements;
}

/// The dimension in which a slice cuts: its output says so, along the axis that cuts it.
Expected<Placement> derivedSlice(const Plan &plan, const Step &step, Placement x, MeshAxis axis)
{
    const Placement &wanted = along(plan.tensor(step.outputs.front()).layout, axis);
    return wanted.kind == PlacementKind::Shard ? slicePlacement(x, wanted.dim) : Expected<Placement>(x);
}

Expected<Placement> derivedCollective(const Collective &collective, Placement x, MeshAxis axis)
{
    if (collective.axis != axis)
        return x;
    return collectivePlacement(collective.op, x, collective.gatherDim);
}

/// The placement of every output along one axis: all outputs of a step are placed alike.
Expected<Placement> derivePlacement(const Plan &plan, const Step &step, MeshAxis axis)
{
    const std::vector<Placement> in = inputPlacements(plan, step, axis);
    switch (step.kind) {
    case StepKind::MatMul:
        return matMulPlacement(in[0], step.transposeA, in[1], step.transposeB);
    case StepKind::AddBias:
        return addBiasPlacement(in[0], in[1]);
    case StepKind::Gelu:
    case StepKind::GeluBackward:
    case StepKind::SwiGlu:
    case StepKind::SwiGluBackward:
        return nonLinearPlacement(in);
    case StepKind::Add:
        return addPlacement(in[0], in[1]);
    case StepKind::SumRows:
        return sumRowsPlacement(in[0]);
    case StepKind::Slice:
        return derivedSlice(plan, step, in[0], axis);
    case StepKind::Collective:
        return derivedCollective(*step.collective, in[0], axis);
    }
    return in[0];
}

} // namespace

Expected<std::vector<Layout>> deriveLayouts(const Plan &plan, const Step &step)
{
    Layout layout;
    for (const MeshAxis axis : kMeshAxes) {
        const auto placement = derivePlacement(plan, step, axis);
        if (!placement)
            return placement.problem();
        along(layout, axis) = *placement;
    }
    return std::vector<Layout>(step.outputs.size(), layout);
}

} // namespace shardscope
