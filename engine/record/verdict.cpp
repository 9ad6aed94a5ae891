// SPDX-License-Identifier: MIT
#include "engine/record/verdict.h"

#include <array>

namespace shardscope {
namespace {

/// A wait below that share of the transfer is not worth a word, however quiet the baseline was.
constexpr double kNegligibleShare = 0.1;

std::optional<Distribution> baselineWaits(const Run &run, int step)
{
    std::vector<double> waits;
    for (const BaselineEvent &baseline : run.baselines) {
        if (baseline.step == step)
            waits.insert(waits.end(), baseline.waitNs.begin(), baseline.waitNs.end());
    }
    return distributionOf(std::move(waits));
}

} // namespace

std::string_view name(Verdict verdict)
{
    constexpr std::array<std::string_view, 4> kNames{"transfer", "waiting", "mixed", "inconclusive"};
    return kNames[static_cast<std::size_t>(verdict)];
}

Verdict verdictOf(const Run &run, int step, int samples, double waitNs, double transferNs)
{
    const auto baseline = baselineWaits(run, step);
    if (samples < kVerdictSamples || !baseline || baseline->samples < kVerdictSamples)
        return Verdict::Inconclusive;
    if (waitNs <= baseline->p90 || waitNs <= kNegligibleShare * transferNs)
        return Verdict::Transfer;
    return waitNs > transferNs ? Verdict::Waiting : Verdict::Mixed;
}

} // namespace shardscope
