// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/arguments.h"
#include "engine/plan/experiment_options.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// What the points are read for: what a refusal offers instead is possible for that.
enum class Purpose { Prediction, Run };
[[nodiscard]] inline Purpose purposeOf(const Arguments &arguments)
{
    return arguments.hardware.empty() ? Purpose::Run : Purpose::Prediction;
}

/// One experiment that uses every option given. Throws Failure (exit 2).
[[nodiscard]] Experiment readPoint(const OptionValues &given, Purpose purpose = Purpose::Prediction);

/// Options that stand alone: no scheme asks for a divisible width or says that it does not use one. Throws Failure
/// (exit 2).
[[nodiscard]] Experiment readOptionsAlone(const OptionValues &given);

/// Training, prefill and decode of the same layer.
struct PhasePoints {
    std::vector<Experiment> points;
    std::vector<std::string> leftOut; ///< why a phase is missing: the bug is in the backward pass
};
/// An option that no phase uses is refused. Throws Failure (exit 2).
[[nodiscard]] PhasePoints readPhases(const OptionValues &given, Purpose purpose = Purpose::Prediction);

/// One training step of the same layer, L and global tokens under each scheme of the comma-separated `list`. `--batch`
/// and `--sequence` say the step's tokens: each replica takes b·s/dp of them, each micro-batch b·s/(dp·m). L is that of
/// the pipeline among them, if any, unless given. Throws Failure (exit 2).
[[nodiscard]] std::vector<Experiment> readSchemes(const std::string &list, const OptionValues &given,
                                                  Purpose purpose = Purpose::Prediction);

/// All points of a grid, every one valid.
struct Grid {
    std::vector<Experiment> points;        ///< in header order, the last option varies fastest
    std::vector<std::string> extraColumns; ///< swept options beyond the fixed columns
};
/// Options with comma-separated lists. Throws Failure (exit 2) naming the first bad point.
[[nodiscard]] Grid readGrid(const OptionValues &given, Purpose purpose = Purpose::Prediction);

} // namespace shardscope::cli
