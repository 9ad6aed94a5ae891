// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment_options.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// One experiment that uses every option given. Throws Failure (exit 2).
[[nodiscard]] Experiment readPoint(const OptionValues &given);

/// Training, prefill and decode of the same layer. An option that none of them uses is refused.
[[nodiscard]] std::vector<Experiment> readPhases(const OptionValues &given);

/// All points of a grid, every one valid.
struct Grid {
    std::vector<Experiment> points;        ///< in header order, the last option varies fastest
    std::vector<std::string> extraColumns; ///< swept options beyond the fixed columns
};
/// Options with comma-separated lists. Throws Failure (exit 2) naming the first bad point.
[[nodiscard]] Grid readGrid(const OptionValues &given);

} // namespace shardscope::cli
