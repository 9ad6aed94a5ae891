// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/arguments.h"
#include "engine/cli/console.h"
#include "engine/simulate/advice.h"

#include <string>
#include <vector>

namespace shardscope::cli {

// Options of `memory` and `advise`. Reading throws Failure (exit 2): which, why, what is allowed.

[[nodiscard]] std::vector<OwnOption> memoryOptions();
[[nodiscard]] std::vector<OwnOption> adviceOptions();

/// --model list
[[nodiscard]] bool asksForModels(const OptionValues &given);
/// Prints the presets.
int listModels(const Arguments &arguments);

/// The preset that --model names.
[[nodiscard]] Model modelNamed(const OptionValues &given);
/// Layout and load of `memory`; the sequence is the model's own where none is given.
[[nodiscard]] MemorySettings readMemorySettings(const Model &model, const OptionValues &given);
[[nodiscard]] AdviceQuestion readQuestion(const OptionValues &given);

/// "Training: ...", the label bold, wrapped to the terminal.
[[nodiscard]] std::string labelled(const Console &console, const std::string &label, const std::string &text);

/// "174.6 billion parameters (174615846912), 96 layers, ...".
[[nodiscard]] std::string modelLine(const Model &model);

} // namespace shardscope::cli
