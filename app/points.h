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

/// As it runs: without what its phase does not use, which the user may have chosen for another phase.
[[nodiscard]] Experiment asRun(const Experiment &experiment);

/// The same layer on one rank, with the tokens of all replicas; empty when the same work cannot be done there (a bug
/// that one rank cannot show, a batch beyond what is allowed, stages padded on purpose).
[[nodiscard]] std::optional<Experiment> onOneRank(const Experiment &experiment);

/// Whether both show the same layer, at most in another phase: then they have the same three points.
[[nodiscard]] bool sameLayer(const Experiment &a, const Experiment &b);

/// The experiment as a user would have asked for it: the stream of a run also says what its machine made of `auto`.
[[nodiscard]] Experiment asAsked(Experiment experiment);

} // namespace shardscope
