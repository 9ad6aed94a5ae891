// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"
#include "engine/record/run.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// One training step of the same layer under several schemes: what moves, when and whether compute waits for it, memory
/// and times, and at how many tokens the bytes of tensor and data parallelism cross.
[[nodiscard]] std::string schemesReport(const std::vector<Run> &runs, const Console &console);

} // namespace shardscope::cli
