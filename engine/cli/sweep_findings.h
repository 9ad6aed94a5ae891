// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"
#include "engine/record/run.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// Where a layer ran on one rank and on several: from which batch, sequence or width on the most ranks are faster, and
/// why they are not below; of a single size why they are faster or slower. Empty without times.
[[nodiscard]] std::string speedFindings(const std::vector<Run> &runs, const Console &console);

/// How the output depends on the number of ranks: errors against float64 and the order of the sum, a row for each
/// scheme, phase, dtype and N. Empty where N does not vary or no sum is shared.
[[nodiscard]] std::string outputsByRanks(const std::vector<Run> &runs, const Console &console);

} // namespace shardscope::cli
