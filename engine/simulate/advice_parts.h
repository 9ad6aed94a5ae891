// SPDX-License-Identifier: MIT
#pragma once

#include "engine/simulate/advice.h"
#include "engine/simulate/network.h"

#include <string>

namespace shardscope {

// The parts of advise(): layouts, then the lines that compare them.

/// What the collectives of TP run at, GB/s: once it leaves the node, through the ports of whole nodes.
[[nodiscard]] double tensorParallelGBs(const Hardware &hardware, int tp);
[[nodiscard]] std::int64_t usableBytes(const Hardware &hardware);
/// TP sizes to look at: divisors of the GPUs that fill nodes evenly, whether the model allows them or not.
[[nodiscard]] std::vector<int> tensorParallelCandidates(const AdviceQuestion &question);
/// Devices that TP can span without leaving the node.
[[nodiscard]] int devicesTogether(const AdviceQuestion &question);

/// Every tp x pp x dp with its verdict; the best is Recommended, or the fastest CommunicationBound one when nothing
/// else fits.
[[nodiscard]] std::vector<TrainingLayout> trainingLayouts(const AdviceQuestion &question);
/// One layout with these sizes; the GPUs of the question do not matter.
[[nodiscard]] TrainingLayout trainingLayout(const AdviceQuestion &question, int tp, int pp, int dp);
/// nullptr when none fits in the node.
[[nodiscard]] const TrainingLayout *bestOf(const std::vector<TrainingLayout> &layouts);
/// One for each TP, the pipeline as short as fits.
[[nodiscard]] std::vector<ServingLayout> servingLayouts(const AdviceQuestion &question);
[[nodiscard]] const ServingLayout *bestOf(const std::vector<ServingLayout> &layouts);

/// Adds to each layout what its verdict stands on.
void explain(const AdviceQuestion &question, std::vector<TrainingLayout> &layouts);
void explain(const AdviceQuestion &question, std::vector<ServingLayout> &layouts);

/// "12.3 ms".
[[nodiscard]] std::string secondsText(double seconds);

// Rules with this question's numbers, and the lines that both kinds of layouts share.

[[nodiscard]] Text memoryRule(const AdviceQuestion &question);
[[nodiscard]] Text linkRule(const AdviceQuestion &question, double linkGBs);
[[nodiscard]] Text nodeRule(const AdviceQuestion &question);
[[nodiscard]] Text decodeRule(const AdviceQuestion &question, double linkGBs);
[[nodiscard]] AdviceLine notDivisibleLine(const AdviceQuestion &question, int tp);
[[nodiscard]] AdviceLine leavesNodeLine(const AdviceQuestion &question, int tp);

/// What explains the advice as a whole, the recommendation first; of layouts that are explained already.
[[nodiscard]] std::vector<AdviceLine> trainingLines(const AdviceQuestion &question,
                                                    const std::vector<TrainingLayout> &layouts);
[[nodiscard]] std::vector<AdviceLine> servingLines(const AdviceQuestion &question,
                                                   const std::vector<ServingLayout> &layouts);

/// The links that a machine with slower ones is held against; nullptr when the question's are no slower class.
[[nodiscard]] const Hardware *fasterLinks(const AdviceQuestion &question);

} // namespace shardscope
