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

/// The finding in one sentence with the numbers of these runs, bytes and time apart; per token or per step. Latency or
/// waiting is named only where the numbers show it: decode's messages move at less than half of prefill's GB/s, or
/// most of its communication is waiting. NoReason when training and prefill (per token: decode) are not both there.
[[nodiscard]] Text findingOf(const PhaseComparison &comparison, bool perToken);

/// Payload over transfer of all collectives together, in GB/s; empty without collectives or times.
[[nodiscard]] std::optional<double> achievedGBs(const RunSummary &summary);

/// Why N ranks are faster or slower than one, with the numbers: compute that did not shrink to 1/N, or communication
/// added, then waiting, latency or bandwidth. Those two are told apart by `largeMessageGBs`, what large messages
/// reach between these ranks (achievedGBs() of the prefill run, say); without it neither is named. Nothing unless one
/// run has one rank, the other more, and both have times.
[[nodiscard]] std::optional<Text> speedupFinding(const Run &one, const Run &many,
                                                 std::optional<double> largeMessageGBs = std::nullopt);

} // namespace shardscope
