// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/arguments.h"
#include "engine/cli/console.h"
#include "engine/record/run.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// Runs in any format. Several runs: tables one below the other, JSON documents in a list.
[[nodiscard]] std::string render(const std::vector<Run> &runs, Format format, const Console &console);

/// 0, or 3 with the reason on stderr when a check failed or what ran was not what was planned; `named` says of which
/// run. A recorded run is held to the same.
[[nodiscard]] int statusOf(const std::vector<Run> &runs, bool named = false);

} // namespace shardscope::cli
