// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/text.h"

#include <optional>

namespace shardscope {

/// Why a valid experiment is too large to run for real, though it can be predicted: which option, why, what is allowed.
[[nodiscard]] std::optional<Text> runLimitProblem(const Experiment &experiment);

} // namespace shardscope
