// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/record/event.h"
#include "engine/supervise/gpu_probe.h"

#include <optional>
#include <vector>

namespace shardscope {

/// What Auto becomes on a host with these GPUs.
[[nodiscard]] Backend resolvedBackend(Backend asked, const std::vector<GpuFacts> &gpus);

/// Why ranks cannot run on that backend here, in one line that names the remedy: by what gpuProblem() says, or by the
/// GPUs that a rank host has found.
[[nodiscard]] std::optional<Text> refuseBackend(Backend backend);
[[nodiscard]] std::optional<Text> refuseBackend(Backend backend, const std::vector<GpuFacts> &gpus);

/// The GPUs with what is free of their memory instead of all of it, where NVML tells.
[[nodiscard]] std::vector<GpuFacts> withFreeMemory(std::vector<GpuFacts> gpus);
/// The rule of refuseForMemory() for GPUs: rank r is on GPU r modulo their number, and each may be filled to 80 %.
[[nodiscard]] std::optional<Text> refuseForGpuMemory(std::int64_t bytesPerRank, int ranksHere,
                                                     const std::vector<GpuFacts> &gpus);

/// The machine of a run on so many ranks of GPUs: devices, and that ranks share one, which changes what times mean.
[[nodiscard]] Machine machineOfGpuRanks(const Machine &machine, int ranks, const std::vector<GpuFacts> &gpus);

/// "rank 3: GPU 1, NVIDIA H200".
[[nodiscard]] std::string gpuOfRank(int rank, int localRank, const std::vector<GpuFacts> &gpus);
/// That ranks share GPUs; nothing where each has one of its own.
[[nodiscard]] std::optional<Text> ranksOnGpus(int ranksHere, int gpus);

/// The same of ranks that were started elsewhere, by their devices and hosts: of the host where most share.
[[nodiscard]] std::optional<Text> startedRanksOnGpus(const Machine &machine);

/// The note of a run on the CPU where the rank host for GPUs is there and could not be taken.
[[nodiscard]] std::optional<Text> whyNoGpu();

} // namespace shardscope
