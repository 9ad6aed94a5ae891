// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/statistics.h"

#include <map>
#include <optional>
#include <vector>

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
    Ratios decodeToTrainingPerToken; ///< each divided first by its own tokens, those of all replicas and micro-batches
};
[[nodiscard]] PhaseComparison comparePhases(const std::map<Phase, const Run *> &runs);

/// The finding in one sentence with the numbers of these runs, bytes and time apart; per token or per step. Latency or
/// waiting is named only where the numbers show it: decode's messages move at less than half of prefill's GB/s, or
/// most of its communication is waiting. NoReason when training and prefill (per token: decode) are not both there.
[[nodiscard]] Text findingOf(const PhaseComparison &comparison, bool perToken);

/// Why training sends so many times the bytes of a prefill (2.0, 2.5, 3.0, 3.5 for a block): which pass sends how much,
/// then one sentence for each cause. Empty without both phases, with one rank, and for schemes other than repeated
/// layers cut column then row.
[[nodiscard]] std::vector<Text> ratioReasons(const PhaseComparison &comparison);

/// The bubble of a pipeline beside (p-1)/(m+p-1), which equally long stages would have (Narayanan 2021, section 2.2,
/// as a share of the whole step), and why it is below that where it is; nothing without stages or times.
[[nodiscard]] std::optional<Text> bubbleFinding(const RunSummary &summary, const Experiment &experiment);
/// That, what of the communication is waiting for other stages, and paddingFindings(); empty without stages.
[[nodiscard]] std::vector<Text> pipelineFindings(const RunSummary &summary, const Experiment &experiment);
/// Work that a stage's padding (--stage-delay) does not cover, so that the stages differ; empty where it does.
[[nodiscard]] std::vector<Text> paddingFindings(const RunSummary &summary);

/// Payload over transfer of all collectives together, in GB/s; empty without collectives or times.
[[nodiscard]] std::optional<double> achievedGBs(const RunSummary &summary);

/// Why N ranks are faster or slower than one, with the numbers, unless the times differ less than they vary or the
/// factor is more than N ranks can give (step_speed.h), which is then said: compute that did not shrink to 1/N, or
/// communication added, then waiting, latency or bandwidth. Those two are told apart by `largeMessageGBs`, what large
/// messages reach between these ranks (achievedGBs() of the prefill run, say); without it neither is named. Of a
/// pipeline's ranks it says what they compute and that the rest is bubble or sending. Nothing unless one run has one
/// rank, the other more, both have times, and both did the same work: as many layers, as many tokens.
[[nodiscard]] std::optional<Text> speedupFinding(const Run &one, const Run &many,
                                                 std::optional<double> largeMessageGBs = std::nullopt);

} // namespace shardscope
