// SPDX-License-Identifier: MIT
#include "engine/plan/parts/pair.h"

namespace shardscope {
namespace {

constexpr int kTokens = 0;
constexpr int kColumns = 1;

Text reason(const PlanBuilder &plan, TextId id, TensorId of)
{
    return {id, {plan.nameOf(of), std::to_string(plan.ranks())}};
}

} // namespace

PairBoundary::PairBoundary(const PlanBuilder &plan, Ends ends) : m_open(ends == Ends::Open)
{
    const Experiment &e = plan.experiment();
    m_firstByColumns = e.pair == Pair::ColumnRow || e.pair == Pair::ColumnColumn;
    m_secondByRows = e.pair == Pair::ColumnRow || e.pair == Pair::RowRow;
    m_tokensCut = e.sequenceParallel != SequenceParallel::Off && plan.ranks() > 1 && !m_open;
    m_gatherAgain = e.sequenceParallel == SequenceParallel::Megatron;
    m_overlap = e.overlap;
}

Linear PairBoundary::first(const PlanBuilder &plan, std::string w, std::string b, Dim in, Dim out, int replicas) const
{
    if (m_firstByColumns)
        return columnLinear(plan, std::move(w), std::move(b), std::move(in), std::move(out), replicas);
    Linear linear = rowLinear(plan, std::move(w), std::move(b), std::move(in), std::move(out));
    if (m_secondByRows) // its sum is scattered by columns, and the bias goes with them
        linear.biasCut = plan.cut(0);
    return linear;
}

Linear PairBoundary::second(const PlanBuilder &plan, std::string w, std::string b, Dim in, Dim out) const
{
    if (m_secondByRows)
        return rowLinear(plan, std::move(w), std::move(b), std::move(in), std::move(out));
    return columnLinear(plan, std::move(w), std::move(b), std::move(in), std::move(out));
}

TensorId PairBoundary::enter(PlanBuilder &plan, TensorId x) const
{
    if (m_tokensCut)
        return plan.allGather(x, kTokens, reason(plan, TextId::ReasonGatherTokens, x));
    return m_firstByColumns ? x : plan.slice(x, kColumns);
}

std::vector<TensorId> PairBoundary::afterFirst(PlanBuilder &plan, const std::vector<TensorId> &z) const
{
    if (m_firstByColumns)
        return z;
    if (!m_secondByRows)
        return plan.sum(z);
    return plan.collective({.op = CollectiveOp::ReduceScatter,
                            .dim = kColumns,
                            .reason = reason(plan, TextId::ReasonScatterColumns, z.front())},
                           z);
}

TensorId PairBoundary::beforeSecond(PlanBuilder &plan, TensorId h) const
{
    if (!m_firstByColumns || m_secondByRows)
        return h;
    return plan.allGather(h, kColumns, reason(plan, TextId::ReasonGatherInner, h));
}

TensorId PairBoundary::leave(PlanBuilder &plan, TensorId y, TensorId bias) const
{
    if (m_open)
        return y;
    if (!m_secondByRows) {
        const TensorId cut = plan.addBias(y, bias);
        return plan.allGather(cut, kColumns);
    }
    if (!m_tokensCut)
        return plan.addBias(plan.sum(y), bias);
    return plan.addBias(plan.reduceScatter(y, kTokens, reason(plan, TextId::ReasonScatterTokens, y)), bias);
}

TensorId PairBoundary::leaveBackward(PlanBuilder &plan, TensorId dY) const
{
    if (m_tokensCut)
        return plan.allGather(dY, kTokens, reason(plan, TextId::ReasonGatherTokensBackward, dY));
    return m_secondByRows ? dY : plan.slice(dY, kColumns);
}

TensorId PairBoundary::biasGradientFrom(TensorId arrived, TensorId entered) const
{
    // A row layer's bias is added after the reduction, so to the rank's own tokens alone where those are cut.
    if (m_open)
        return kNoTensor;
    return m_secondByRows ? arrived : entered;
}

TensorId PairBoundary::beforeSecondBackward(PlanBuilder &plan, TensorId dH) const
{
    if (m_secondByRows)
        return dH;
    if (!m_firstByColumns)
        return plan.sum(dH);
    return plan.reduceScatter(dH, kColumns, reason(plan, TextId::ReasonScatterColumns, dH));
}

std::vector<TensorId> PairBoundary::afterFirstBackward(PlanBuilder &plan, const std::vector<TensorId> &dZ) const
{
    if (m_firstByColumns || !m_secondByRows)
        return dZ;
    return plan.collective(
        {.op = CollectiveOp::AllGather, .dim = kColumns, .reason = reason(plan, TextId::ReasonGatherInner, dZ.front())},
        dZ);
}

TensorId PairBoundary::enterAgain(PlanBuilder &plan, TensorId x, TensorId entered) const
{
    if (!m_tokensCut || !m_gatherAgain)
        return entered;
    // The product for dX does not wait for it.
    return plan.collective({.op = CollectiveOp::AllGather,
                            .dim = kTokens,
                            .overlapped = m_overlap,
                            .reason = reason(plan, TextId::ReasonGatherTokensAgain, x)},
                           x);
}

TensorId PairBoundary::enterBackward(PlanBuilder &plan, TensorId dX, bool followed) const
{
    if (m_open)
        return dX;
    if (m_tokensCut)
        return plan.collective({.op = CollectiveOp::ReduceScatter,
                                .dim = kTokens,
                                .overlapped = m_overlap && followed,
                                .reason = reason(plan, TextId::ReasonScatterTokensBackward, dX)},
                               dX);
    return m_firstByColumns ? plan.sum(dX, m_overlap && followed) : plan.allGather(dX, kColumns);
}

} // namespace shardscope
