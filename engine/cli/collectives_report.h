// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"
#include "engine/record/statistics.h"

#include <string>

namespace shardscope::cli {

/// The collectives of a step as a table: counts, sizes and times. Those that differ only in layer and micro-batch stand
/// in one line, with the times of their mean.
[[nodiscard]] std::string collectivesTable(const Run &run, const RunSummary &summary, const Console &console);

/// Why each of them is needed, one line a kind.
[[nodiscard]] std::string collectiveReasons(const RunSummary &summary, const Console &console);

/// Whether each could run beside compute that does not need it: what that would need per second, and what it had. Empty
/// without times.
[[nodiscard]] std::string hidingTable(const Run &run, const RunSummary &summary, const Console &console);

/// Who sends how much to whom, where the ranks are few enough for a table. Empty when nothing travels.
[[nodiscard]] std::string trafficTable(const Plan &plan, const Console &console);

} // namespace shardscope::cli
