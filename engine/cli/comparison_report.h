// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"
#include "engine/record/run.h"

#include <map>
#include <string>
#include <vector>

namespace shardscope::cli {

/// Training, prefill and decode of one layer side by side, per step and per token, with ratios and the finding.
/// `leftOut` says why a phase is missing.
[[nodiscard]] std::string comparisonReport(const std::map<Phase, Run> &runs, const std::vector<std::string> &leftOut,
                                           const Console &console);

} // namespace shardscope::cli
