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
    return variantOf(experiment, {{"ranks", "1"}});
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
