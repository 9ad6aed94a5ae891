// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/run.h"

#include <optional>

namespace shardscope {

/// Who has the rank, of a run on several hosts (or a prediction for several nodes); nullptr where there is one, or
/// where the record does not give every rank to exactly one.
[[nodiscard]] const Host *hostOf(const Run &run, int rank);
/// For each rank the index of its host; empty where there is one, or nothing is known.
[[nodiscard]] std::vector<int> hostsByRank(const Run &run);
/// "2 hosts: a (ranks 0-1), b (ranks 2-3)"; of many the first ones. Nothing where there is one.
[[nodiscard]] std::optional<Text> hostsText(const Run &run);
/// How surely the clocks of the hosts were set against each other; 0 where that was not needed or not done.
[[nodiscard]] std::int64_t clockUncertaintyNs(const Run &run);
/// What that means for a picture; nothing where it is 0.
[[nodiscard]] std::optional<Text> clocksText(const Run &run);

/// Which GPU of its host the rank is on, by Machine::devices ("rank 3: GPU 1, NVIDIA H200"); -1 where it is on none.
[[nodiscard]] int gpuOf(const Machine &machine, int rank);

/// The GPUs of one host and the ranks on them; more ranks than GPUs take turns, and times are not those of separate
/// GPUs.
struct GpuShare {
    int ranks = 0;
    int gpus = 0;
};
/// Of the host where most ranks share, by Machine::devices; nothing where every rank has a GPU of its own, or a CPU.
[[nodiscard]] std::optional<GpuShare> sharedGpus(const Machine &machine);

} // namespace shardscope
