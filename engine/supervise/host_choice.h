// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/supervise/gpu_probe.h"

#include <optional>
#include <string>
#include <vector>

namespace shardscope {

/// The rank host for CPU ranks next to this program; SHARDSCOPE_RANK_HOST wins.
[[nodiscard]] std::string findRankHost();
/// The one for GPUs; SHARDSCOPE_RANK_HOST_CUDA wins. Whether it is there is another question.
[[nodiscard]] std::string findCudaRankHost();
[[nodiscard]] bool cudaRankHostExists();

/// That the rank host for GPUs is not there; that it does not start for want of these libraries.
[[nodiscard]] GpuProblem cudaRankHostMissing();
[[nodiscard]] GpuProblem cudaRankHostBroken(const std::vector<std::string> &missingLibraries);

/// What the driver says, asked once and remembered: it may take seconds.
[[nodiscard]] const GpuProbe &rememberedProbe();

/// Why ranks cannot run on GPUs here: no driver, no GPU, no rank host for them, one that does not start. Nothing when
/// they can. Asked once and remembered.
[[nodiscard]] const std::optional<GpuProblem> &gpuProblem();
/// Whether ranks of that backend run on GPUs here.
[[nodiscard]] bool runsOnGpus(Backend backend);

/// Libraries that the program is linked to and the loader does not find, by name; empty when it would start.
[[nodiscard]] std::vector<std::string> missingLibraries(const std::string &program);

/// The rank host that serves experiments of that backend. The one for GPUs serves both, so it is taken wherever it can
/// be, except for CPU ranks that are asked for by name.
[[nodiscard]] std::string hostFor(Backend backend);

} // namespace shardscope
