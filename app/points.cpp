// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/points.h"

#include "engine/plan/experiment_options.h"

#include <algorithm>

namespace shardscope {

namespace {

std::optional<Experiment> withOption(const Experiment &experiment, const char *name, std::string value)
{
    OptionValues values = allOptions(experiment);
    values[name] = std::move(value);
    if (std::string_view(name) == "ranks") {
        values.erase("mesh");
        values.erase("delay");
    }
    const Expected<Experiment> read = readExperiment(values, Unused::Allow);
    return read ? std::optional<Experiment>(*read) : std::nullopt;
}

} // namespace

std::optional<Experiment> inPhase(const Experiment &experiment, Phase phase)
{
    return withOption(experiment, "phase", std::string(name(phase)));
}

Experiment asRun(const Experiment &experiment)
{
    return inPhase(experiment, experiment.phase).value_or(experiment);
}

std::optional<Experiment> onOneRank(const Experiment &experiment)
{
    return withOption(experiment, "ranks", "1");
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
