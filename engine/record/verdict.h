// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/run.h"
#include "engine/record/statistics.h"

namespace shardscope {

/// The verdict on one step of the plan (rule at Verdict).
[[nodiscard]] Verdict verdictOf(const Run &run, int step, int samples, double waitNs, double transferNs);

} // namespace shardscope
