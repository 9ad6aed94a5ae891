// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/collective_table.h"
#include "engine/record/statistics.h"

namespace shardscope {

// The two halves of summarize().

/// One summary per collective of the plan. `asPlanned` becomes false where the communicator counted otherwise.
[[nodiscard]] std::vector<CollectiveSummary> summarizeCollectives(const Run &run, const TimedIterations &iterations,
                                                                  const CollectiveTable &table, bool &asPlanned);

/// Totals of passes, step, and of the step without optimizer.
void summarizePasses(const Run &run, const TimedIterations &iterations, const CollectiveTable &table,
                     RunSummary &summary);

} // namespace shardscope
