// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/record/rank_main.h"
#include "engine/supervise/gpu_probe.h"

#include <map>
#include <string>
#include <vector>

namespace shardscope {

/// What tells the two rank hosts apart: one is linked to LibTorch alone, the other to CUDA and NCCL too. Exactly one
/// source file that defines these is part of each program.
[[nodiscard]] const char *hostName();
/// What ranks can run on here; asked before any is forked, in a child.
[[nodiscard]] std::vector<GpuFacts> hostGpus();
/// "nccl" -> "2.28.9" and the like, beside those of LibTorch.
[[nodiscard]] std::map<std::string, std::string> hostLibraries();
/// A rank's life on the devices that this host knows.
[[nodiscard]] RankMain hostRankMain(const std::vector<GpuFacts> &gpus);

} // namespace shardscope
