// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment_options.h"
#include "engine/simulate/advice.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

// Options of the memory model and of advice by name: the same words for the command line and the window.

struct ModelOption {
    std::string_view name{};
    std::string_view value{}; ///< what stands for the value in a help, "N"
    std::string_view meaning{};
    std::vector<std::string> values{}; ///< the words or numbers allowed; empty: many
    std::string_view defaultText{};
};
/// All but --model, in the order of a help.
[[nodiscard]] const std::vector<ModelOption> &memoryOptions();
[[nodiscard]] const std::vector<ModelOption> &adviceOptions();

[[nodiscard]] std::vector<std::string> modelNames();
[[nodiscard]] Expected<Model> readModel(std::string_view name);
/// A preset of GPUs.
[[nodiscard]] Expected<Hardware> readPreset(std::string_view name);

/// Layout and load of `model`; the sequence is the model's own where none is given. Options that are none of
/// `memoryOptions` are left alone.
[[nodiscard]] Expected<MemorySettings> readMemorySettings(const Model &model, const OptionValues &given);
/// The question; without --gpus of one node, without --hardware of h100-8. Options that are none of `adviceOptions` are
/// left alone.
[[nodiscard]] Expected<AdviceQuestion> readAdviceQuestion(const Model &model, const OptionValues &given);

/// What the readers make of the same settings again: every option that is not at its default.
[[nodiscard]] OptionValues optionsOf(const Model &model, const MemorySettings &settings);
[[nodiscard]] OptionValues optionsOf(const AdviceQuestion &question);

} // namespace shardscope
