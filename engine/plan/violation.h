// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/text.h"

#include <optional>
#include <string_view>
#include <vector>

namespace shardscope {

/// A rule between options that an experiment breaks.
struct Violation {
    Text text; ///< without its last argument: what is allowed
    /// The options of which another value may mend it. "tp", "dp" and "pp" are axes of the mesh.
    std::vector<std::string_view> mendedBy;
};

/// The first rule between options that `e` breaks; single values must be such as their options read.
[[nodiscard]] std::optional<Violation> firstViolation(const Experiment &e);

/// How long a message of a pipeline with --stage-delay may take. The first stage waits longest, under GPipe: while the
/// other p-1 go forward and come back.
[[nodiscard]] double secondsOfStageDelays(const Experiment &e);

} // namespace shardscope
