// SPDX-License-Identifier: MIT
#include "engine/runtime/rank_share.h"

#include "engine/runtime/weights.h"

namespace shardscope {

at::Tensor ownSlice(const Plan &plan, const Step &step, int rank, const at::Tensor &whole)
{
    const Layout &before = plan.tensor(step.inputs.front()).layout;
    const Layout &after = plan.tensor(step.outputs.front()).layout;
    at::Tensor part = whole;
    for (const MeshAxis axis : kMeshAxes) {
        const Placement &cut = along(after, axis);
        if (!cut.isShard() || along(before, axis) == cut)
            continue;
        const Slice own = sliceAlong(cut, part.size(cut.dim), plan.mesh(), axis, rank);
        part = part.narrow(cut.dim, own.begin, own.length);
    }
    return part.clone(at::MemoryFormat::Contiguous);
}

KernelContext kernelContext(const Plan &plan, const Step &step, int rank)
{
    KernelContext context;
    const auto region = [&](TensorId id) { return localRegion(plan.tensor(id), plan.mesh(), rank); };
    switch (step.kind) {
    case StepKind::EmbeddingLookup:
        context.firstIndex = region(step.inputs[1]).rows.begin;
        break;
    case StepKind::EmbeddingBackward:
        context.firstIndex = region(step.outputs[0]).rows.begin;
        context.outputRows = region(step.outputs[0]).rows.length;
        break;
    case StepKind::Dequantize:
        context.dtype = plan.tensor(step.outputs[0]).dtype;
        break;
    case StepKind::LastPosition:
        context.outputRows = region(step.outputs[0]).rows.length;
        break;
    case StepKind::TargetLogit:
    case StepKind::CrossEntropyBackward:
        context.firstIndex = region(step.inputs[0]).columns.begin;
        break;
    default:
        break;
    }
    return context;
}

} // namespace shardscope
