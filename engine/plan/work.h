// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <cstdint>

namespace shardscope {

/// Floating-point operations of the rank with the largest share; a matrix product [m,k]·[k,n] counts 2·m·k·n. Stops at
/// the largest int64 for absurd sizes, which the memory estimate refuses.
[[nodiscard]] std::int64_t flopsPerRank(const Plan &plan, const Step &step);

/// Bytes of all inputs and outputs on that rank: what a kernel reads and writes at least once.
[[nodiscard]] std::int64_t memoryBytesPerRank(const Plan &plan, const Step &step);

/// a·b, or the largest int64 where that would overflow. Both are at least 0.
[[nodiscard]] std::int64_t saturatingProduct(std::int64_t a, std::int64_t b);

} // namespace shardscope
