// SPDX-License-Identifier: MIT
#include "engine/record/comparison.h"

namespace shardscope {
namespace {

std::optional<double> ratio(const std::optional<double> &a, const std::optional<double> &b)
{
    if (!a || !b || *b == 0)
        return std::nullopt;
    return *a / *b;
}

/// `tokens` divide each side first.
Ratios ratiosOf(const PassSummary &a, double tokensA, const PassSummary &b, double tokensB)
{
    const auto per = [](const std::optional<double> &value, double tokens) {
        return value ? std::optional(*value / tokens) : std::nullopt;
    };
    const auto real = [](auto value) { return std::optional(static_cast<double>(value)); };
    return {ratio(per(real(a.collectives), tokensA), per(real(b.collectives), tokensB)),
            ratio(per(real(a.sentBytesPerRank), tokensA), per(real(b.sentBytesPerRank), tokensB)),
            ratio(per(a.communicationNs, tokensA), per(b.communicationNs, tokensB))};
}

} // namespace

PhaseComparison comparePhases(const std::map<Phase, const Run *> &runs)
{
    PhaseComparison comparison;
    for (const auto &[phase, run] : runs) {
        comparison.phases.emplace(phase, summarize(*run));
        comparison.experiments.emplace(phase, run->experiment());
    }
    const auto has = [&runs](Phase a, Phase b) { return runs.count(a) > 0 && runs.count(b) > 0; };
    const auto sums = [&](Phase phase) -> const PassSummary & { return comparison.phases.at(phase).withoutOptimizer; };
    const auto tokens = [&](Phase phase) {
        return static_cast<double>(comparison.experiments.at(phase).globalTokens());
    };
    if (has(Phase::Training, Phase::Prefill))
        comparison.trainingToPrefill = ratiosOf(sums(Phase::Training), 1, sums(Phase::Prefill), 1);
    if (has(Phase::Decode, Phase::Training))
        comparison.decodeToTrainingPerToken =
            ratiosOf(sums(Phase::Decode), tokens(Phase::Decode), sums(Phase::Training), tokens(Phase::Training));
    return comparison;
}

} // namespace shardscope
