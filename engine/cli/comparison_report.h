// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"
#include "engine/record/run.h"

#include <map>
#include <string>

namespace shardscope::cli {

/// Training, prefill and decode of one layer side by side, per step and per token, with ratios and the finding.
[[nodiscard]] std::string comparisonReport(const std::map<Phase, Run> &runs, const Console &console);

} // namespace shardscope::cli
