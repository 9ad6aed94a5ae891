// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/statistics.h"

#include <map>
#include <optional>

namespace shardscope {

/// Ratios of two runs; empty when undefined (0/0 and x/0 too). Pass optimizer is left out.
struct Ratios {
    std::optional<double> collectives;
    std::optional<double> sentBytes;
    std::optional<double> communicationTime;
};

/// Training, prefill and decode of the same layer.
struct PhaseComparison {
    std::map<Phase, RunSummary> phases;
    std::map<Phase, Experiment> experiments;
    Ratios trainingToPrefill;
    Ratios decodeToTrainingPerToken; ///< each divided by its own tokens first
};
[[nodiscard]] PhaseComparison comparePhases(const std::map<Phase, const Run *> &runs);

/// The finding in one sentence with the numbers of these runs, bytes and time apart; per token or per step.
[[nodiscard]] Text findingOf(const PhaseComparison &comparison, bool perToken);

/// Why N ranks are faster or slower than one: latency, bandwidth or small matrices, with the numbers.
[[nodiscard]] std::optional<Text> speedupFinding(const Run &one, const Run &many);

} // namespace shardscope
