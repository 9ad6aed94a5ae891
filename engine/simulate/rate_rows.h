// SPDX-License-Identifier: MIT
#pragma once

#include "engine/simulate/achieved_rates.h"

namespace shardscope {

// The two halves of achievedRates().

inline constexpr double kNsPerSecond = 1e9;
inline constexpr double kLatencyDominates = 0.5; ///< of the time by the cost model

/// Products and operations by pass.
[[nodiscard]] std::vector<RateRow> computeRates(const Run &run, const Hardware *peaks);
/// The kinds of collectives.
[[nodiscard]] std::vector<RateRow> collectiveRates(const Run &run, const RunSummary &summary, const Hardware *peaks);

inline constexpr double kReached = 0.5; ///< of what limits a rate: what comes to less is limited by something else too

/// The rate over the peak. Times are whole nanoseconds for each operation: what is over the peak by less than that,
/// `roundedNs` in all, is not over it.
void setShare(RateRow &row, double roundedNs);

} // namespace shardscope
