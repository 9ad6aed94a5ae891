// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"

#include <string>

namespace shardscope::cli {

/// "mlp (gelu), training, 4 ranks: h 1024, f 4096, 256 tokens (4 x 64), ..." in one line: what was asked for, and of
/// the options only those that change what runs.
[[nodiscard]] std::string headline(const Experiment &experiment);

/// The same without phase and tokens: what several runs share.
[[nodiscard]] std::string layerLine(const Experiment &experiment);

/// "h 1024, f 4096, 16 heads": the sizes that the layer has.
[[nodiscard]] std::string sizesText(const Experiment &experiment);

/// "4 ranks", "4 ranks (tp=2,dp=2)": one axis alone needs no mesh.
[[nodiscard]] std::string ranksText(const Experiment &experiment);

/// "256 tokens (4 x 64)", with replicas and micro-batches "2048 tokens (dp 2 x m 4 x 4 x 64)": of one step.
[[nodiscard]] std::string tokensText(const Experiment &experiment);

} // namespace shardscope::cli
