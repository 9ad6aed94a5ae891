// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/system_checks.h"

#include <vector>

namespace shardscope::cli {

/// The GPUs, the driver and the rank host for them; what is missing and what to do about it. Starts no rank.
[[nodiscard]] std::vector<Finding> gpuFindings();

} // namespace shardscope::cli
