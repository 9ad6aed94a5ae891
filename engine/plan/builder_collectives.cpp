// SPDX-License-Identifier: MIT
#include "engine/plan/hop_schedule.h"
#include "engine/plan/plan_builder.h"
#include "engine/plan/traffic.h"

namespace shardscope {
namespace {

std::int64_t heldElements(const Tensor &moved, const Mesh &mesh)
{
    const int rank = rankWithLargestShare(mesh, moved.stage);
    return localBytes(moved, mesh, rank) / bytesOf(moved.dtype);
}

/// Sizes follow nccl-tests: the total logical array, which for a gather is what the ranks hold together.
Collective collectiveOf(const CollectiveSpec &spec, const std::vector<TensorId> &tensors, const Plan &plan)
{
    Collective c;
    c.op = spec.op;
    c.axis = spec.axis;
    c.replicas = spec.replicas;
    c.reduce = spec.reduce;
    c.average = spec.average;
    c.overlapped = spec.overlapped;
    c.gatherDim = spec.dim;
    // A message from one stage to the next has no algorithm to choose, and our own add only.
    const bool libraryOnly = spec.op == CollectiveOp::SendRecv || spec.reduce == ReduceOp::Max;
    c.algorithm = libraryOnly ? Algorithm::Library : plan.experiment.algorithm;
    const int ranks = plan.groupSize(c);
    const DType dtype = plan.tensor(tensors.front()).dtype;
    for (const TensorId id : tensors)
        c.elements += heldElements(plan.tensor(id), plan.mesh()) * (spec.op == CollectiveOp::AllGather ? ranks : 1);
    c.payloadBytes = c.elements * bytesOf(dtype);
    c.wireDtype = wireDtype(c.op, c.algorithm, dtype, plan.transport);
    c.sentBytesPerRank = sentBytesPerRank(c.op, c.algorithm, ranks, c.elements, bytesOf(c.wireDtype));
    if (const auto schedule = hopSchedule(c.op, c.algorithm, ranks))
        c.hops = static_cast<int>(schedule->hops.size());
    return c;
}

std::string shortName(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce:
        return "AR ";
    case CollectiveOp::AllGather:
        return "AG ";
    case CollectiveOp::ReduceScatter:
        return "RS ";
    case CollectiveOp::Reduce:
        return "reduce ";
    case CollectiveOp::Broadcast:
        return "broadcast ";
    case CollectiveOp::SendRecv:
        return "send ";
    case CollectiveOp::Gather:
    case CollectiveOp::AllToAll:
        break;
    }
    return "";
}

std::string label(CollectiveOp op, const std::vector<TensorId> &tensors, const Plan &plan)
{
    std::string text = shortName(op) + plan.tensor(tensors.front()).name;
    if (tensors.size() == 2)
        text += ", " + plan.tensor(tensors.back()).name;
    else if (tensors.size() > 2)
        text += " … " + plan.tensor(tensors.back()).name;
    return text;
}

} // namespace

std::vector<TensorId> PlanBuilder::collective(const CollectiveSpec &spec, const std::vector<TensorId> &tensors)
{
    const bool alone = spec.replicas > 0 ? spec.replicas == 1 : ranks(spec.axis) == 1;
    if (alone || tensors.empty())
        return tensors;
    Step step = newStep(StepKind::Collective, tensors, label(spec.op, tensors, m_plan));
    step.stream = Stream::Communication;
    step.collective = collectiveOf(spec, tensors, m_plan);
    for (const TensorId id : tensors) {
        Tensor made = newTensor(nameOf(id), tensor(id).shape, tensor(id).role);
        made.dtype = tensor(id).dtype;
        step.outputs.push_back(addTensor(std::move(made)));
    }
    const std::vector<TensorId> made = append(std::move(step));
    if (spec.reason.id != TextId::NoReason)
        m_plan.steps.back().reason = spec.reason;
    return made;
}

TensorId PlanBuilder::collective(const CollectiveSpec &spec, TensorId x)
{
    return collective(spec, std::vector{x}).front();
}

TensorId PlanBuilder::allGather(TensorId x, int dim, Text reason)
{
    return collective({.op = CollectiveOp::AllGather, .dim = dim, .reason = std::move(reason)}, x);
}

TensorId PlanBuilder::reduceScatter(TensorId x, int dim, Text reason)
{
    return collective({.op = CollectiveOp::ReduceScatter, .dim = dim, .reason = std::move(reason)}, x);
}

std::vector<TensorId> PlanBuilder::sum(const std::vector<TensorId> &addends, bool overlapped)
{
    if (experiment().reduceTo == ReduceTo::All)
        return collective({.op = CollectiveOp::AllReduce, .overlapped = overlapped}, addends);
    const auto onRoot = collective({.op = CollectiveOp::Reduce}, addends);
    return collective({.op = CollectiveOp::Broadcast}, onRoot);
}

TensorId PlanBuilder::send(TensorId x, int toStage)
{
    Step step = newStep(StepKind::Collective, {x}, label(CollectiveOp::SendRecv, {x}, m_plan));
    step.stream = Stream::Communication;
    step.collective = collectiveOf({.op = CollectiveOp::SendRecv, .axis = MeshAxis::Pp}, {x}, m_plan);
    step.collective->toStage = toStage;
    Tensor arrived = newTensor(nameOf(x), tensor(x).shape, tensor(x).role);
    const TensorId made = addTensor(std::move(arrived));
    m_plan.tensors.back().stage = toStage;
    step.outputs = {made};
    append(std::move(step));
    return made;
}

} // namespace shardscope
