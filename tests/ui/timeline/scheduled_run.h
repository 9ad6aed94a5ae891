// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"

namespace shardscope {

/// One step of any plan as if every compute step took 4 ms and every collective 6 ms: each rank does its steps in the
/// plan's order, waits for what they need, and lets overlapped collectives run beside. Times that never change.
[[nodiscard]] Run scheduledRun(const Plan &plan);

} // namespace shardscope
