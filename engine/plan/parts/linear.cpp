// SPDX-License-Identifier: MIT
#include "engine/plan/parts/linear.h"

namespace shardscope {

void Linear::declare(PlanBuilder &plan) const
{
    (void)weightIn(plan);
    (void)biasIn(plan);
}

TensorId Linear::weightIn(PlanBuilder &plan) const
{
    return plan.weight(w, {in, out}, cut);
}

TensorId Linear::biasIn(PlanBuilder &plan) const
{
    return plan.bias(b, out, biasCut, in.size);
}

Linear columnLinear(const PlanBuilder &plan, std::string w, std::string b, Dim in, Dim out, int replicas)
{
    const bool alone = plan.ranks() == 1;
    return {std::move(w),
            std::move(b),
            std::move(in),
            std::move(out),
            alone ? plan.whole() : Placement::shard(1, replicas),
            alone ? plan.whole() : Placement::shard(0, replicas)};
}

Linear rowLinear(const PlanBuilder &plan, std::string w, std::string b, Dim in, Dim out)
{
    return {std::move(w), std::move(b), std::move(in), std::move(out), plan.rows(), plan.whole()};
}

void parameterGradients(PlanBuilder &plan, const Linear &linear, TensorId x, TensorId dY, TensorId dBias)
{
    const TensorId w = linear.weightIn(plan);
    plan.parameterGradient(w, plan.weightGradient(w, x, dY));
    const TensorId b = linear.biasIn(plan);
    if (b != kNoTensor && dBias != kNoTensor)
        plan.parameterGradient(b, plan.biasGradient(b, dBias));
}

} // namespace shardscope
