// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

namespace shardscope {

/// The values that the command line would derive from the others: f = 4h, a = h/64, k = a, L = one layer a stage, the
/// cache of s tokens, a bias wherever the scheme has one.
[[nodiscard]] Experiment withDerivedDefaults(Experiment experiment);

/// `wanted`, with every derived value that stood at its default in `before`, and that the user did not touch, at its
/// new default: the inner size follows h as long as nobody gave it another value.
[[nodiscard]] Experiment followDefaults(const Experiment &before, Experiment wanted);

/// The mesh of N ranks after another number of them was asked for: the other axes keep their extents where they can.
[[nodiscard]] Mesh meshWithRanks(const Experiment &experiment, int ranks);

/// `experiment` with another scheme: its ranks move to the scheme's own axis, unless both schemes know meshes.
[[nodiscard]] Experiment withScheme(const Experiment &experiment, Scheme scheme);

} // namespace shardscope
