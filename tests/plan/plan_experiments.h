// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment_options.h"
#include "engine/plan/plan.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// The experiment that these options give; throws what is wrong with them.
inline Experiment experimentOf(const OptionValues &given)
{
    const auto e = readExperiment(given);
    if (!e)
        throw std::invalid_argument(english(e.problem()));
    return *e;
}

/// Every combination of phase and switches of the correct schemes on `ranks` ranks. Small sizes that only f divides
/// evenly: 6 tokens, h = 5, f = 2N.
inline std::vector<Experiment> everyCorrectExperiment(int ranks, DType dtype = DType::F32)
{
    std::vector<Experiment> all;
    for (const Scheme scheme : {Scheme::Column, Scheme::Row, Scheme::Mlp}) {
        for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
            for (int switches = 0; switches < 8; ++switches) {
                Experiment e;
                e.scheme = scheme;
                e.phase = phase;
                e.mesh = Mesh{{ranks, 1, 1}};
                e.hidden = 5;
                e.ffn = 2 * ranks;
                e.batch = 3;
                e.sequence = 2;
                e.dtype = dtype;
                e.bias = (switches & 1) != 0;
                const bool choice = (switches & 2) != 0;
                e.gatherOutput = scheme == Scheme::Column && choice;
                e.inputParallel = scheme != Scheme::Row || choice;
                e.mlp = scheme == Scheme::Mlp && choice ? MlpKind::Swiglu : MlpKind::Gelu;
                e.inputGradient = phase != Phase::Training || (switches & 4) != 0;
                all.push_back(e);
            }
        }
    }
    return all;
}

/// The step with this label; throws when there is none.
inline const Step &stepNamed(const Plan &plan, std::string_view label)
{
    for (const Step &step : plan.steps) {
        if (step.label == label)
            return step;
    }
    throw std::invalid_argument("no step " + std::string(label));
}

/// The collectives of one pass: "all_reduce Y, all_reduce dX".
inline std::string collectivesOf(const Plan &plan, Pass pass)
{
    std::string list;
    for (const Step &step : plan.steps) {
        if (step.collective && step.pass == pass)
            list += (list.empty() ? "" : ", ") + std::string(name(step.collective->op)) + " " +
                    plan.tensor(step.inputs[0]).name;
    }
    return list;
}

} // namespace shardscope
