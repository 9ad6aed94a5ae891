// SPDX-License-Identifier: MIT
#include "engine/plan/parts/layer_part.h"
#include "engine/plan/parts/projections.h"

namespace shardscope {
namespace {

std::vector<Branch> firstLayers(PlanBuilder &plan, const PairBoundary &boundary)
{
    const auto branch = [&](const std::string &suffix, const std::string &result, const std::string &dX) {
        return Branch{boundary.first(plan, "W" + suffix, "b" + suffix, plan.hidden(), plan.ffn()), plan.scoped(result),
                      plan.scoped(dX)};
    };
    if (plan.experiment().mlp == MlpKind::Gelu)
        return {branch("1", "Z", "dX")};
    return {branch("g", "G", "dXg"), branch("u", "U", "dXu")};
}

// Column-parallel, then row-parallel, and GELU between them needs no neighbour:
//
//     H_i = GELU(X·W1_i + b1_i)     the rank's own columns of H, complete
//     Y   = (sum of H_i·W2_i) + b2     the columns of H_i meet just the rows in W2_i: one all-reduce
//
// So nothing travels between the two products, and backward needs one all-reduce too, of dX. The other order would cut
// GELU's input into addends, and GELU of a sum is not the sum of GELUs. (Shoeybi 2019, figure 3a.)
class Mlp final : public LayerPart
{
public:
    Mlp(PlanBuilder &plan, const PartNames &names, Ends ends)
        : m_boundary(plan, ends), m_first(plan, m_boundary, firstLayers(plan, m_boundary), names.inputGradient),
          m_second(plan, m_boundary, {m_boundary.second(plan, "W2", "b2", plan.ffn(), plan.hidden()), names.output, ""},
                   plan.scoped("dH"))
    {
    }

    TensorId forward(PlanBuilder &plan, TensorId x) override
    {
        m_z = m_first.forward(plan, x);
        return m_second.forward(plan, activate(plan));
    }

    TensorId backward(PlanBuilder &plan, TensorId dY, bool wantsInputGradient) override
    {
        const TensorId dH = m_second.backward(plan, dY);
        return m_first.backward(plan, activateBackward(plan, dH), wantsInputGradient);
    }

    void inputAgain(TensorId x) override { m_first.inputAgain(x); }

private:
    TensorId activate(PlanBuilder &plan)
    {
        const std::string h = plan.scoped("H");
        if (m_z.size() == 1)
            return plan.elementwise(StepKind::Gelu, h, m_z, h + " = GELU(" + plan.nameOf(m_z[0]) + ")");
        return plan.elementwise(StepKind::SwiGlu, h, m_z,
                                h + " = SiLU(" + plan.nameOf(m_z[0]) + ")·" + plan.nameOf(m_z[1]));
    }

    std::vector<TensorId> activateBackward(PlanBuilder &plan, TensorId dH)
    {
        const auto gradient = [&](TensorId z) {
            return plan.newTensor("d" + plan.nameOf(z), plan.tensor(z).shape, TensorRole::Gradient);
        };
        if (m_z.size() == 1) {
            const Tensor dZ = gradient(m_z[0]);
            const std::string label = dZ.name + " = " + plan.nameOf(dH) + "·GELU'(" + plan.nameOf(m_z[0]) + ")";
            return plan.operation(StepKind::GeluBackward, {dH, m_z[0]}, {dZ}, label);
        }
        const Tensor dG = gradient(m_z[0]);
        const Tensor dU = gradient(m_z[1]);
        return plan.operation(StepKind::SwiGluBackward, {dH, m_z[0], m_z[1]}, {dG, dU},
                              dG.name + ", " + dU.name + " from " + plan.nameOf(dH));
    }

    PairBoundary m_boundary;
    InputProjections m_first;
    OutputProjection m_second;
    std::vector<TensorId> m_z;
};

} // namespace

std::unique_ptr<LayerPart> makeMlp(PlanBuilder &plan, const PartNames &names, Ends ends)
{
    return std::make_unique<Mlp>(plan, names, ends);
}

} // namespace shardscope
