// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/run.h"

#include <optional>

namespace shardscope {

/// The check of the layer's output, Y, or of the first micro-batch's; nullptr where nothing was checked. It says how
/// far N ranks, one device, and one device that adds in N pieces are from float64 and from each other.
[[nodiscard]] const CheckEvent *outputCheck(const Run &run);

/// Why the output depends on N: the errors of N ranks and of one device beside each other, and whether one device that
/// adds in the same pieces gets the ranks' result. Nothing where they are the same bits, where no sum of the
/// forward pass is shared, and in float64.
[[nodiscard]] std::optional<Text> summationFinding(const Run &run);

/// How far int8 weights move the output; nothing where weights keep the experiment's dtype.
[[nodiscard]] std::optional<Text> quantizationFinding(const Run &run);

} // namespace shardscope
