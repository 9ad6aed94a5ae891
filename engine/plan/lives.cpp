// SPDX-License-Identifier: MIT
#include "engine/plan/lives.h"

#include <algorithm>

namespace shardscope {
namespace {

bool isResult(const Plan &plan, TensorId id)
{
    return std::find(plan.results.begin(), plan.results.end(), id) != plan.results.end();
}

bool madeForward(const Plan &plan, const Tensor &tensor)
{
    // What is computed again is not kept.
    return tensor.madeAt < 0 || plan.steps[static_cast<std::size_t>(tensor.madeAt)].pass == Pass::Forward;
}

} // namespace

void setLives(Plan &plan)
{
    // Inputs, weights and results stay; whatever else a step makes goes after its last use.
    for (Tensor &tensor : plan.tensors)
        tensor.freedAfter = tensor.generated || isResult(plan, tensor.id) ? -1 : tensor.madeAt;

    for (const Step &step : plan.steps) {
        for (const TensorId id : step.inputs) {
            Tensor &used = plan.tensors[static_cast<std::size_t>(id)];
            if (used.freedAfter >= 0)
                used.freedAfter = step.id;
            const bool activation = used.role == TensorRole::Activation;
            if (activation && step.pass == Pass::Backward && madeForward(plan, used))
                used.savedForBackward = true;
        }
    }
}

} // namespace shardscope
