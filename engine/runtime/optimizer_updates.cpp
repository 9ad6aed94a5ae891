// SPDX-License-Identifier: MIT
#include "engine/runtime/optimizer_updates.h"

#include <string>

namespace shardscope {

std::map<TensorId, TensorId> updatesOf(const Plan &plan)
{
    std::map<std::string, const Tensor *> generated;
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated)
            generated[tensor.name] = &tensor;
    std::map<const Tensor *, TensorId> last;
    for (const Tensor &tensor : plan.tensors) {
        if (tensor.madeAt < 0 || plan.steps[std::size_t(tensor.madeAt)].pass != Pass::Optimizer)
            continue;
        const auto before = generated.find(tensor.name);
        if (before != generated.end() && before->second->layout == tensor.layout)
            last[before->second] = tensor.id;
    }
    std::map<TensorId, TensorId> updates;
    for (const auto &[before, after] : last)
        updates[after] = before->id;
    return updates;
}

} // namespace shardscope
