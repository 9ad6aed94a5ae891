// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <QStringList>
#include <vector>

namespace shardscope {

/// What was done to the times on purpose: "each stage's forward padded to 10 ms, backward to 20 ms", "rank 1 made 20 ms
/// late". A picture of them without these words would pass them off as the layer's own.
[[nodiscard]] QStringList delayWords(const Experiment &experiment);

/// Every option of how the layer is cut, ordered and sent that is used and not at its default, delays included; sizes,
/// mesh and micro-batches are named elsewhere.
[[nodiscard]] QStringList optionNotes(const Experiment &experiment);

/// Mesh where it is not the scheme's own axis, layers and micro-batches where there are several, and optionNotes().
/// `all`: of experiments that are contrasted, each once.
[[nodiscard]] QStringList settingNotes(const std::vector<const Experiment *> &all);

} // namespace shardscope
