// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope {

/// Cores that this process may use: its affinity mask, at most the container's CPU quota; at least 1.
[[nodiscard]] int allowedCores();

/// Compute threads per rank when none are asked for: max(1, cores allowed / ranks here).
[[nodiscard]] int defaultThreads(int ranks);

/// The same for a rank that something else has started with others on this host: its share of the cores of whatever
/// started it, at most those that it was bound to. To be asked by the process that was started.
[[nodiscard]] int startedThreads(int ranksHere);

/// "2 cores, AMD EPYC 7763"; names no host.
[[nodiscard]] std::string machineTitle(int cores = allowedCores());

/// Bytes that can be had without swapping: MemAvailable, at most what the container's limit leaves; 0 when unknown.
[[nodiscard]] std::int64_t availableMemoryBytes();

/// MemAvailable of a /proc/meminfo text, in bytes; 0 when it is not there.
[[nodiscard]] std::int64_t parseMemAvailable(std::string_view meminfo);

/// What a cgroup's limit leaves, from the texts of its memory.max, memory.current and memory.stat; nothing when there
/// is no limit. Pages of files count as current, but the kernel gives them up when they are wanted.
[[nodiscard]] std::optional<std::int64_t> parseContainerMemoryLeft(std::string_view max, std::string_view current,
                                                                   std::string_view stat);

/// The rule by which ranks are refused before any is started: an estimate over 80 % of what is available. The front
/// asks before it starts a rank host, the supervisor asks again before it forks.
[[nodiscard]] std::optional<Text> refuseForMemory(std::int64_t bytesPerRank, int ranks, std::int64_t availableBytes);

/// More threads per rank than cores only wait for each other, and with many a run never ends.
[[nodiscard]] std::optional<Text> refuseForThreads(int threads, int cores);

/// "4 ranks share 2 cores; not GPU times".
[[nodiscard]] Text ranksOnCores(int ranks, int cores);

} // namespace shardscope
