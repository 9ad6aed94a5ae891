// SPDX-License-Identifier: MIT
#pragma once

#include "engine/simulate/memory_model.h"

namespace shardscope {

/// Where in the pipeline a GPU stands.
struct StagePlace {
    int index = 0;
    int layers = 0; ///< L/p; where that is no whole number the first stages have one more
    bool first = true;
    bool last = true;
};
[[nodiscard]] StagePlace stageOf(const Model &model, int stages, int index);

/// Micro-batches whose activations the stage keeps at once under 1F1B: min(m, p - index) (Korthikanti 2022, equation
/// 5).
[[nodiscard]] int microBatchesInFlight(const MemorySettings &settings, const StagePlace &stage);

/// Terms of the layers, and of the embedding and the output layer where the stage has them.
[[nodiscard]] std::vector<MemoryTerm> activationTerms(const Model &model, const MemorySettings &settings,
                                                      const StagePlace &stage);

} // namespace shardscope
