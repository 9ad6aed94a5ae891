// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// A GPU as the CUDA driver describes it; its number is its place in the list, as CUDA counts here.
struct GpuFacts {
    std::string name;             ///< "NVIDIA H200"
    std::int64_t memoryBytes = 0; ///< in all
    std::string busId;            ///< PCI, "0000:1b:00.0"
    int computeMajor = 0;         ///< compute capability
    int computeMinor = 0;
    bool operator==(const GpuFacts &) const = default;
};

/// Why there is nothing to run on, and what to do about it.
struct GpuProblem {
    Text text;
    Text remedy;
};

/// What the CUDA driver says of this machine.
struct GpuProbe {
    std::vector<GpuFacts> gpus;
    int driverCuda = 0; ///< the newest CUDA that it knows, 1000 x major + 10 x minor; 0: there is no driver
    std::optional<GpuProblem> problem;
};

/// Asks the driver in a short-lived child, so that this process may fork ranks afterwards: what has started CUDA cannot
/// hand it on. Takes 0.1 to 2 s where there is a GPU, milliseconds where there is none.
[[nodiscard]] GpuProbe probeGpus();

/// What the child says, line by line: "driver 13000", "gpu NAME<tab>BYTES<tab>BUS<tab>MAJOR<tab>MINOR", "none WORDS".
/// Nothing at all means that the driver could not be loaded.
[[nodiscard]] GpuProbe parseGpuReport(std::string_view report);

/// "13.0" for 13000.
[[nodiscard]] std::string cudaVersionText(int version);

} // namespace shardscope
