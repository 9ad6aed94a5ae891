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

/// The tensor as a group of ranks along `axis` shares it: what other axes of the mesh cut is the group's part only, so
/// that [tokens, h] of a replica has the replica's tokens.
[[nodiscard]] Tensor groupsTensor(const Plan &plan, const Tensor &tensor, MeshAxis axis);

} // namespace shardscope
