// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/simulate/collective_times.h"

#include <vector>

namespace shardscope {

/// For each rank the first one that does the same at the same times in a prediction of the plan. Stages of a pipeline
/// do different things. Within a stage every rank computes as long as the others, so ranks differ along an axis only
/// where a collective gives each place of its group something else to send (a tree, chunks of unequal length), or where
/// one of them is late.
[[nodiscard]] std::vector<int> alikeRanks(const Plan &plan, CollectiveTimetable &timetable);

} // namespace shardscope
