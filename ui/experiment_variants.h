// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment_options.h"

#include <optional>

namespace shardscope {

/// The experiment with other values of some options; what it then does not use goes back to its default. Another
/// number of ranks stands on the scheme's own axis. The problem says why it cannot be: h mod N, a phase that a bug
/// lacks.
[[nodiscard]] Expected<Experiment> readVariant(const Experiment &experiment, const OptionValues &changes);
/// The same for those who do not ask why it cannot be.
[[nodiscard]] std::optional<Experiment> variantOf(const Experiment &experiment, const OptionValues &changes);

} // namespace shardscope
