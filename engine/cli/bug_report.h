// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"
#include "engine/record/run.h"

#include <map>
#include <string>

namespace shardscope::cli {

/// Every rule that the plan breaks on purpose: where, what happens, the right way. Empty for schemes that are right.
[[nodiscard]] std::string brokenRules(const Run &run, const Console &console);

/// Of a bug under comparison: by how much each result is off in each phase, what its traffic would make one believe,
/// and what the right scheme sends.
[[nodiscard]] std::string bugComparison(const std::map<Phase, Run> &runs, const Console &console);

} // namespace shardscope::cli
