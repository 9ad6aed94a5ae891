// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/json_values.h"
#include "engine/simulate/advice.h"

namespace shardscope::cli {

// JSON documents of `memory` and `advise`: sizes in bytes, times in microseconds.

[[nodiscard]] Json modelDocument(const Model &model);
[[nodiscard]] Json settingsDocument(const MemorySettings &settings);
[[nodiscard]] Json memoryDocument(const Model &model, const MemorySettings &settings);
[[nodiscard]] Json adviceDocument(const Advice &advice);

} // namespace shardscope::cli
