// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/statistics.h"

namespace shardscope {

// When a finding names a cause: the same for the comparison of phases and for one rank beside many.

/// From that factor on N ranks count as faster than one; as much beyond what is plausible is a disturbance.
inline constexpr double kFaster = 1.05;
/// Messages that move at less than that share of the GB/s of larger ones pay latency.
inline constexpr double kLatencyShare = 0.5;
/// Waiting of more than that share of the communication is the cause.
inline constexpr double kWaitingShare = 0.5;

/// Payload in bytes of the largest collective; 0 when there is none.
[[nodiscard]] std::int64_t largestPayload(const RunSummary &summary);

} // namespace shardscope
