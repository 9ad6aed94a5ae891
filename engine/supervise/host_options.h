// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/record/event.h"
#include "engine/record/rank_main.h"
#include "engine/supervise/gpu_probe.h"
#include "engine/supervise/launch.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace shardscope {

/// What a rank host brings to its supervisor, which itself knows no LibTorch.
struct HostOptions {
    RankMain rankMain;
    /// Versions and machine, for the first line. Must not start a thread or call BLAS: ranks are forked afterwards.
    std::function<HelloEvent()> hello;
    /// Bytes that one rank needs for the experiment; ranks that memory cannot hold are refused before any is forked.
    std::function<std::int64_t(const Experiment &)> estimateBytesPerRank;
    std::vector<GpuFacts> gpus; ///< that ranks can run on beside the CPU; Auto takes them where there are any
    /// The ranks are started elsewhere, one by one: here runs that one alone, and joins the others.
    std::optional<Launch> launch;

    int inputFd = 0;
    int outputFd = 1;
    std::chrono::milliseconds cancelGrace{250};    ///< for ranks that end by themselves; then SIGKILL
    std::chrono::milliseconds failureGrace{1000};  ///< for news of the true cause after the first error
    std::chrono::milliseconds silenceMargin{5000}; ///< beyond a collective's timeout without any sign of life
    std::chrono::milliseconds workMargin{60000};   ///< beyond what a slow machine needs from one event to the next
};

} // namespace shardscope
