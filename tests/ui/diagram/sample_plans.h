// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment_options.h"
#include "engine/plan/plan.h"

#include <stdexcept>

namespace shardscope {

/// The plan of options written as on the command line; a test's options must be valid.
inline Plan planOf(const OptionValues &options)
{
    const Expected<Experiment> experiment = readExperiment(options);
    if (!experiment)
        throw std::runtime_error(english(experiment.problem()));
    return buildPlan(*experiment);
}

/// An mlp on `ranks` ranks whose sizes every N from 1 to 64 can cut: f = N * 64.
inline Plan mlpOn(int ranks, OptionValues more = {})
{
    more.insert({"scheme", "mlp"});
    more.insert({"ranks", std::to_string(ranks)});
    more.insert({"hidden", std::to_string(ranks * 32)});
    more.insert({"ffn", std::to_string(ranks * 64)});
    return planOf(more);
}

} // namespace shardscope
