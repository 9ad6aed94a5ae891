// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

namespace shardscope {

/// What a collective does, one clause, and why the algebra needs it. Schemes that know more replace the reason.
[[nodiscard]] Text collectiveTitle(const Plan &plan, const Step &step);
[[nodiscard]] Text collectiveReason(const Plan &plan, const Step &step);

} // namespace shardscope
