// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/record/event.h"

#include <cstdint>
#include <vector>

namespace shardscope {

/// What repetitions of the collective of `step` say. `durations`: rank after rank, one number per repetition, as
/// gathered over the world; those of ranks that take no part count for nothing. Transfer and wait are told apart within
/// each group of ranks that ran the collective together; of groups side by side the slowest counts.
[[nodiscard]] BaselineEvent baselineOf(const Plan &plan, const Step &step, const std::vector<std::int64_t> &durations);

} // namespace shardscope
