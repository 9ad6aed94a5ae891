// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"
#include "engine/plan/plan.h"

#include <vector>

namespace shardscope {

/// What the sharding algebra makes of a step: the layout of each output from the layouts of its inputs, axis by axis;
/// or the rule that the step breaks.
[[nodiscard]] Expected<std::vector<Layout>> deriveLayouts(const Plan &plan, const Step &step);

} // namespace shardscope
