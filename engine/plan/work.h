// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <cstdint>

namespace shardscope {

/// Floating-point operations of the rank with the largest share; a matrix product [m,k]·[k,n] counts 2·m·k·n. Stops at
/// the largest int64 for absurd sizes, which the memory estimate refuses.
[[nodiscard]] std::int64_t flopsPerRank(const Plan &plan, const Step &step);

/// Bytes that a kernel on that rank reads and writes at least once: inputs (of a slice the part that is kept), outputs.
[[nodiscard]] std::int64_t memoryBytesPerRank(const Plan &plan, const Step &step);

/// a·b, or the largest int64 where that would overflow. Both are at least 0.
[[nodiscard]] std::int64_t saturatingProduct(std::int64_t a, std::int64_t b);

} // namespace shardscope
