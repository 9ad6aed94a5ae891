// SPDX-License-Identifier: MIT
#include "engine/plan/parts/projections.h"

namespace shardscope {

InputProjections::InputProjections(PlanBuilder &plan, PairBoundary boundary, std::vector<Branch> branches,
                                   std::string inputGradient)
    : m_boundary(boundary), m_branches(std::move(branches)), m_inputGradient(std::move(inputGradient))
{
    for (const Branch &branch : m_branches)
        branch.linear.declare(plan);
}

std::vector<TensorId> InputProjections::forward(PlanBuilder &plan, TensorId x)
{
    m_x = x;
    m_entered = m_boundary.enter(plan, x);
    std::vector<TensorId> z;
    for (const Branch &branch : m_branches)
        z.push_back(plan.matMul(branch.result, m_entered, branch.linear.weightIn(plan)));
    z = m_boundary.afterFirst(plan, z);
    for (std::size_t i = 0; i < z.size(); ++i)
        z[i] = plan.addBias(z[i], m_branches[i].linear.biasIn(plan));
    return z;
}

TensorId InputProjections::backward(PlanBuilder &plan, const std::vector<TensorId> &dZ, bool wantsInputGradient)
{
    const std::vector<TensorId> entering = m_boundary.afterFirstBackward(plan, dZ);
    const TensorId x = m_boundary.enterAgain(plan, m_x, m_entered);
    TensorId dX = kNoTensor;
    if (wantsInputGradient) {
        const bool shared = m_branches.size() > 1;
        TensorId before = kNoTensor;
        for (std::size_t i = 0; i < entering.size(); ++i) {
            const Branch &branch = m_branches[i];
            const TensorId own = plan.inputGradient(shared ? branch.inputGradient : m_inputGradient, entering[i],
                                                    branch.linear.weightIn(plan));
            dX = before == kNoTensor ? own : plan.add(m_inputGradient, before, own);
            if (before != kNoTensor)
                plan.because(plan.ranks() > 1 ? TextId::ReasonSharedInputGradient : TextId::ReasonSumOfBranches,
                             {plan.nameOf(before), plan.nameOf(own), plan.nameOf(m_x)});
            before = dX;
        }
        dX = m_boundary.enterBackward(plan, dX);
    }
    for (std::size_t i = 0; i < entering.size(); ++i)
        parameterGradients(plan, m_branches[i].linear, x, entering[i], dZ[i]);
    return dX;
}

OutputProjection::OutputProjection(PlanBuilder &plan, PairBoundary boundary, Branch branch, std::string innerGradient)
    : m_boundary(boundary), m_branch(std::move(branch)), m_innerGradient(std::move(innerGradient))
{
    m_branch.linear.declare(plan);
}

TensorId OutputProjection::forward(PlanBuilder &plan, TensorId h)
{
    m_h = m_boundary.beforeSecond(plan, h);
    const TensorId product = plan.matMul(m_branch.result, m_h, m_branch.linear.weightIn(plan));
    // Behind a first layer cut by rows its sum has travelled, so the general reason holds.
    if (plan.lastStep().reason.id == TextId::ReasonAddend && plan.experiment().pair != Pair::RowRow)
        plan.because(TextId::ReasonSecondProduct,
                     {plan.nameOf(m_h), m_branch.linear.w, m_branch.linear.in.symbol, plan.nameOf(product)});
    return m_boundary.leave(plan, product, m_branch.linear.biasIn(plan));
}

TensorId OutputProjection::backward(PlanBuilder &plan, TensorId dY)
{
    const TensorId entered = m_boundary.leaveBackward(plan, dY);
    TensorId dH = plan.inputGradient(m_innerGradient, entered, m_branch.linear.weightIn(plan));
    dH = m_boundary.beforeSecondBackward(plan, dH);
    parameterGradients(plan, m_branch.linear, m_h, entered, m_boundary.biasGradientFrom(dY, entered));
    return dH;
}

} // namespace shardscope
