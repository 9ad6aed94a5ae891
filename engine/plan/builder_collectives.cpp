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

PlanBuilder::Load PlanBuilder::loadOf(const Collective &c)
{
    const int ranks = m_plan.groupSize(c);
    const auto [entry, isNew] = m_loads.try_emplace({c.op, c.algorithm, ranks, c.elements, c.wireDtype});
    if (isNew) {
        const auto schedule = hopSchedule(c.op, c.algorithm, ranks);
        entry->second = {sentBytesPerRank(c.op, c.algorithm, ranks, c.elements, bytesOf(c.wireDtype)),
                         schedule ? static_cast<int>(schedule->hops.size()) : 0};
    }
    return entry->second;
}

/// Sizes follow nccl-tests: the total logical array, which for a gather is what the ranks hold together.
Collective PlanBuilder::collectiveOf(const CollectiveSpec &spec, const std::vector<TensorId> &tensors)
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
    c.algorithm = libraryOnly ? Algorithm::Library : experiment().algorithm;
    const int parts = spec.op == CollectiveOp::AllGather ? m_plan.groupSize(c) : 1;
    const DType dtype = tensor(tensors.front()).dtype;
    for (const TensorId id : tensors)
        c.elements += heldElements(tensor(id), m_plan.mesh()) * parts;
    c.payloadBytes = c.elements * bytesOf(dtype);
    c.wireDtype = wireDtype(c.op, c.algorithm, dtype, m_plan.transport);
    const Load load = loadOf(c);
    c.sentBytesPerRank = load.sentBytesPerRank;
    c.hops = load.hops;
    return c;
}

std::vector<TensorId> PlanBuilder::collective(const CollectiveSpec &spec, const std::vector<TensorId> &tensors)
{
    const bool alone = spec.replicas > 0 ? spec.replicas == 1 : ranks(spec.axis) == 1;
    if (alone || tensors.empty())
        return tensors;
    Step step = newStep(StepKind::Collective, tensors, label(spec.op, tensors, m_plan));
    step.stream = Stream::Communication;
    step.collective = collectiveOf(spec, tensors);
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
    step.collective = collectiveOf({.op = CollectiveOp::SendRecv, .axis = MeshAxis::Pp}, {x});
    step.collective->toStage = toStage;
    Tensor arrived = newTensor(nameOf(x), tensor(x).shape, tensor(x).role);
    const TensorId made = addTensor(std::move(arrived));
    m_plan.tensors.back().stage = toStage;
    step.outputs = {made};
    append(std::move(step));
    return made;
}

} // namespace shardscope
