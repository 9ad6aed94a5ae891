// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

namespace shardscope {

/// Sets the title and the reason of a step whose inputs and outputs are placed: what happens, and why it needs a
/// collective or none. Both follow from the placements, so every scheme gets them; where a scheme has more to say it
/// replaces the reason (PlanBuilder::because).
void explain(const Plan &plan, Step &step);

/// "[256, 1024]", the global shape.
[[nodiscard]] std::string shapeText(const Tensor &tensor);

} // namespace shardscope
