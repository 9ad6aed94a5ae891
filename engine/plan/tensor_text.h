// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

namespace shardscope {

// How a tensor of a plan is written, for people who read the plan: the same on the command line and in the window.

/// "[t, h]".
[[nodiscard]] std::string symbolsText(const Tensor &tensor);
/// "shard columns"; where several axes have ranks, of each: "tp shard columns, dp replicated"; with pipeline stages the
/// tensor's own: "replicated (stage 1)".
[[nodiscard]] std::string layoutText(const Plan &plan, const Tensor &tensor);
/// The first rank that holds the tensor.
[[nodiscard]] int firstHolder(const Plan &plan, const Tensor &tensor);
/// "[256, 341]", what that rank holds; where ranks hold unequal parts "[256, 341] to [256, 342]".
[[nodiscard]] std::string localShapeText(const Plan &plan, const Tensor &tensor);

} // namespace shardscope
