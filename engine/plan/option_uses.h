// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"

/// Which scheme and phase use which option: what does not is refused, and the window does not show it.
namespace shardscope::option_uses {

[[nodiscard]] bool ffn(const Experiment &e);
[[nodiscard]] bool attention(const Experiment &e); ///< heads, kv-heads
[[nodiscard]] bool vocabulary(const Experiment &e);
[[nodiscard]] bool layers(const Experiment &e);
[[nodiscard]] bool mlp(const Experiment &e);
[[nodiscard]] bool pair(const Experiment &e);
[[nodiscard]] bool layer(const Experiment &e);
[[nodiscard]] bool cache(const Experiment &e);
[[nodiscard]] bool weightDtype(const Experiment &e);
[[nodiscard]] bool bias(const Experiment &e);
[[nodiscard]] bool gatherOutput(const Experiment &e);
[[nodiscard]] bool inputParallel(const Experiment &e);
[[nodiscard]] bool inputGradient(const Experiment &e);
[[nodiscard]] bool sequenceParallel(const Experiment &e);
[[nodiscard]] bool recompute(const Experiment &e);
[[nodiscard]] bool parallelBlock(const Experiment &e);
[[nodiscard]] bool overlap(const Experiment &e);
[[nodiscard]] bool reduceTo(const Experiment &e);
[[nodiscard]] bool microBatches(const Experiment &e);
[[nodiscard]] bool schedule(const Experiment &e);
[[nodiscard]] bool zero(const Experiment &e);

} // namespace shardscope::option_uses
