// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace shardscope {

/// One process as /proc/PID/stat describes it.
struct ProcessFacts {
    pid_t pid = 0;
    pid_t parent = 0;
    std::string name;           ///< at most 15 characters; ranks are "shardscope-r0", ...
    char state = '?';           ///< R, S, D, T (stopped), Z (ended, not yet collected)
    std::int64_t cpuTicks = 0;  ///< user and system time
    std::int64_t startTime = 0; ///< ticks since boot: tells a process from a later one with the same number
};

[[nodiscard]] std::optional<ProcessFacts> parseProcessStat(std::string_view stat);
/// Nothing when there is no such process.
[[nodiscard]] std::optional<ProcessFacts> processFacts(pid_t pid);
[[nodiscard]] std::vector<ProcessFacts> childrenOf(pid_t parent);

/// Those of them that are ranks.
[[nodiscard]] std::vector<ProcessFacts> ranksOf(pid_t host);

/// The name that rank `rank` carries in ps and top.
[[nodiscard]] std::string rankProcessName(int rank);

/// Faults that can be provoked in a rank from outside, for tests and `selftest --faults`.
enum class Fault {
    Kill,        ///< SIGKILL, as the kernel does when memory runs out
    Crash,       ///< SIGSEGV
    Stop,        ///< SIGSTOP: the rank hangs
    OutOfMemory, ///< its address space may not grow any more: the next large allocation fails
};
/// False when the process is gone or not ours.
bool provoke(Fault fault, pid_t pid);

} // namespace shardscope
