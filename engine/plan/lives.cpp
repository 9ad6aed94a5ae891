// SPDX-License-Identifier: MIT
#include "engine/plan/lives.h"

namespace shardscope {
namespace {

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
        tensor.freedAfter = tensor.generated ? -1 : tensor.madeAt;
    for (const TensorId id : plan.results)
        plan.tensors[static_cast<std::size_t>(id)].freedAfter = -1;

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
