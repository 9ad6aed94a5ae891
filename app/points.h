// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <array>
#include <optional>

namespace shardscope {

inline constexpr std::array<Phase, 3> kPhases{Phase::Training, Phase::Prefill, Phase::Decode};

/// The same layer in another phase; options that the phase does not use go back to their defaults. Empty when it
/// cannot be.
[[nodiscard]] std::optional<Experiment> inPhase(const Experiment &experiment, Phase phase);

/// The same layer on one rank; empty when it cannot be (a bug that one rank cannot show).
[[nodiscard]] std::optional<Experiment> onOneRank(const Experiment &experiment);

} // namespace shardscope
