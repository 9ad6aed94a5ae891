// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/points.h"

#include "ui/experiment_variants.h"

#include <algorithm>

namespace shardscope {

std::optional<Experiment> inPhase(const Experiment &experiment, Phase phase)
{
    return variantOf(experiment, {{"phase", std::string(name(phase))}});
}

Experiment asRun(const Experiment &experiment)
{
    return inPhase(experiment, experiment.phase).value_or(experiment);
}

std::optional<Experiment> onOneRank(const Experiment &experiment)
{
    // Each replica has a batch of its own. What is padded on purpose is no work that one rank could do faster.
    const std::int64_t batch = experiment.batch * experiment.extent(MeshAxis::Dp);
    if (experiment.stageDelay)
        return std::nullopt;
    const auto one = variantOf(experiment, {{"ranks", "1"}, {"batch", std::to_string(batch)}});
    const bool same = one && one->globalTokens() == experiment.globalTokens() && one->layers == experiment.layers;
    return same ? one : std::nullopt;
}

bool sameLayer(const Experiment &a, const Experiment &b)
{
    return std::ranges::all_of(kPhases, [&](Phase phase) { return inPhase(a, phase) == inPhase(b, phase); });
}

Experiment asAsked(Experiment experiment)
{
    const Experiment defaults;
    experiment.backend = defaults.backend;
    experiment.threads = defaults.threads;
    return experiment;
}

} // namespace shardscope
