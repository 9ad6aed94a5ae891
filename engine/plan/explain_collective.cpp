// SPDX-License-Identifier: MIT
#include "engine/plan/explain_collective.h"

#include "engine/plan/explain.h"

namespace shardscope {
namespace {

class CollectiveWords
{
public:
    CollectiveWords(const Plan &plan, const Step &step)
        : m_plan(plan), m_step(step), m_collective(*step.collective),
          m_first(groupsTensor(plan, plan.tensor(step.inputs.front()), m_collective.axis)), m_name(m_first.name),
          m_ranks(std::to_string(plan.groupSize(m_collective)))
    {
    }

    [[nodiscard]] Text title() const
    {
        const bool several = m_step.inputs.size() > 1;
        switch (m_collective.op) {
        case CollectiveOp::AllReduce:
            if (several)
                return {TextId::TitleAllReduceSeveral, {names(), m_ranks}};
            return {m_collective.reduce == ReduceOp::Max ? TextId::TitleAllReduceMax : TextId::TitleAllReduce,
                    {m_name, shapeText(m_first), m_ranks}};
        case CollectiveOp::AllGather:
            if (several)
                return {TextId::TitleAllGatherSeveral, {names()}};
            return {m_collective.gatherDim == 0 ? TextId::TitleAllGatherRows : TextId::TitleAllGather,
                    {m_name, std::to_string(joined().size)}};
        case CollectiveOp::ReduceScatter:
            if (several)
                return {TextId::TitleReduceScatterSeveral, {names(), m_ranks}};
            return {TextId::TitleReduceScatter, {m_name, shapeText(m_first), m_ranks}};
        case CollectiveOp::Reduce:
            return {TextId::TitleReduce, {m_name, shapeText(m_first), m_ranks}};
        case CollectiveOp::Broadcast:
            return {TextId::TitleBroadcast, {m_name, shapeText(m_first)}};
        case CollectiveOp::SendRecv:
            return {TextId::TitleSendRecv,
                    {m_name, std::to_string(m_step.stage), std::to_string(m_collective.toStage)}};
        case CollectiveOp::Gather:
        case CollectiveOp::AllToAll:
            break;
        }
        return {TextId::TitleCollective, {std::string(name(m_collective.op)), m_name}};
    }

    [[nodiscard]] Text reason() const
    {
        switch (m_collective.op) {
        case CollectiveOp::AllGather:
            return {forward() ? TextId::ReasonAllGatherForward : TextId::ReasonAllGatherBackward,
                    {m_name, share(joined()), std::to_string(joined().size)}};
        case CollectiveOp::Reduce:
            return {TextId::ReasonReduceToRoot, {m_ranks, m_name}};
        case CollectiveOp::Broadcast:
            return {TextId::ReasonBroadcastFromRoot, {m_ranks, m_name}};
        case CollectiveOp::ReduceScatter:
            return {TextId::ReasonScatterTokens, {m_name, m_ranks}};
        case CollectiveOp::SendRecv:
            return {forward() ? TextId::ReasonSendForward : TextId::ReasonSendBackward,
                    {m_name, std::to_string(m_collective.toStage)}};
        default:
            break;
        }
        if (forward())
            return {TextId::ReasonAllReduceForward, {m_ranks, m_name, shapeText(m_first), summedDim()}};
        const bool replicas = m_collective.axis == MeshAxis::Tp && m_plan.mesh().extent(MeshAxis::Dp) > 1;
        return {replicas ? TextId::ReasonAllReduceBackwardOfReplica : TextId::ReasonAllReduceBackward,
                {m_ranks, m_name, shapeText(m_first), summedDim(), m_name.substr(1)}}; // dX is X's gradient
    }

private:
    [[nodiscard]] bool forward() const { return m_step.pass == Pass::Forward || m_step.pass == Pass::Recompute; }

    [[nodiscard]] std::string names() const
    {
        const std::string last = m_plan.tensor(m_step.inputs.back()).name;
        return m_name + (m_step.inputs.size() == 2 ? " and " : ", …, ") + last;
    }

    [[nodiscard]] const Dim &joined() const { return m_first.shape[static_cast<std::size_t>(m_collective.gatherDim)]; }

    [[nodiscard]] std::string share(const Dim &dim) const
    {
        return std::to_string(sliceOf(dim.size, 0, m_plan.groupSize(m_collective)).length);
    }

    /// The cut inner dimension that made the partial sum: of the product behind it.
    [[nodiscard]] std::string summedDim() const
    {
        const Step *maker = &m_step;
        while (maker->kind != StepKind::MatMul) {
            const int madeAt = m_plan.tensor(maker->inputs[0]).madeAt;
            if (madeAt < 0)
                return "?";
            maker = &m_plan.steps[static_cast<std::size_t>(madeAt)];
        }
        return m_plan.tensor(maker->inputs[0]).shape[maker->transposeA ? 0 : 1].symbol;
    }

    const Plan &m_plan;
    const Step &m_step;
    const Collective &m_collective;
    Tensor m_first; ///< as the group that works together shares it
    std::string m_name;
    std::string m_ranks;
};

} // namespace

Text collectiveTitle(const Plan &plan, const Step &step)
{
    return CollectiveWords(plan, step).title();
}

Text collectiveReason(const Plan &plan, const Step &step)
{
    return CollectiveWords(plan, step).reason();
}

} // namespace shardscope
