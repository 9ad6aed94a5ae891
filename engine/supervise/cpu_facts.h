// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/topology.h"

#include <optional>
#include <string_view>

namespace shardscope {

/// The NUMA nodes of this machine that have cores, from /sys; one of all cores where the kernel knows none.
[[nodiscard]] std::vector<NumaNode> readNumaNodes();

/// Cores of a list of the kernel's: "0-3,8" are five.
[[nodiscard]] int coresInList(std::string_view list);

/// Time of all cores since boot, in ticks of sysconf(_SC_CLK_TCK).
struct CpuTicks {
    std::int64_t all = 0;
    std::int64_t busy = 0; ///< not idle, and not waiting for a disk
};
/// From the first line of /proc/stat; nothing when it is none (proc(5)).
[[nodiscard]] std::optional<CpuTicks> parseCpuTicks(std::string_view stat);

} // namespace shardscope
