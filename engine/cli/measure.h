// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"
#include "engine/simulate/hardware.h"
#include "engine/supervise/host_process.h"

#include <vector>

namespace shardscope::cli {

/// What the ranks measured of their own machine.
struct Measurement {
    Machine machine;
    std::string engineVersion;
    std::vector<BandwidthEvent> collectives;
    std::vector<ComputeEvent> compute;
};

/// Lets ranks measure collectives and compute speed. Throws Failure.
[[nodiscard]] Measurement measure(DType dtype, int ranks, Backend backend, const HostProcessOptions &host = {});

/// The measurement fitted. Throws Failure.
[[nodiscard]] Hardware measureThisMachine(DType dtype, int ranks, Backend backend);

} // namespace shardscope::cli
