// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment_options.h"
#include "engine/plan/plan.h"

#include <sstream>
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
                e.heads = 1;
                e.kvHeads = 1;
                e.ffn = 2 * ranks;
                e.batch = 3;
                e.sequence = 2;
                e.cache = 2;
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

/// "--heads 8 --overlap on" as options.
inline OptionValues optionsIn(const std::string &line)
{
    OptionValues given;
    std::istringstream words(line);
    for (std::string option, value; words >> option >> value;)
        given[option.substr(2)] = value;
    return given;
}

/// Every kind of correct plan beyond the single layers, as command lines for 4 ranks.
inline const std::vector<std::string> &everyLargerScheme()
{
    static const std::vector<std::string> lines{
        "--scheme attention --ranks 4",
        "--scheme attention --ranks 4 --kv-heads 4",
        "--scheme attention --ranks 4 --kv-heads 2",
        "--scheme attention --ranks 4 --kv-heads 1",
        "--scheme attention --ranks 4 --kv-heads 2 --phase decode",
        "--scheme attention --ranks 4 --phase prefill --bias off",
        "--scheme attention --ranks 4 --recompute selective --kv-heads 2",
        "--scheme attention --ranks 4 --sequence-parallel megatron",
        "--scheme attention --ranks 4 --pair row-row",
        "--scheme attention --ranks 4 --pair row-column",
        "--scheme attention --ranks 4 --pair column-column",
        "--scheme mlp --ranks 4 --pair row-row",
        "--scheme mlp --ranks 4 --pair row-column --mlp swiglu",
        "--scheme mlp --ranks 4 --pair column-column --bias off",
        "--scheme mlp --ranks 4 --reduce-to root",
        "--scheme mlp --ranks 4 --sequence-parallel keep",
        "--scheme mlp --ranks 4 --layers 3 --recompute full --overlap on",
        "--scheme block --ranks 4",
        "--scheme block --ranks 4 --phase decode --cache 9",
        "--scheme block --ranks 4 --parallel-block on --mlp swiglu",
        "--scheme block --ranks 4 --parallel-block on --sequence-parallel megatron --overlap on",
        "--scheme block --ranks 4 --parallel-block on --sequence-parallel keep --recompute full --kv-heads 2",
        "--scheme block --ranks 4 --sequence-parallel megatron --recompute full --layers 2",
        "--scheme block --ranks 4 --sequence-parallel keep --recompute selective",
        "--scheme block --ranks 4 --reduce-to root --micro-batches 2",
        "--scheme embedding --ranks 4",
        "--scheme embedding --ranks 4 --sequence-parallel megatron",
        "--scheme embedding --ranks 4 --phase decode",
        "--scheme logits --ranks 4",
        "--scheme logits --ranks 4 --gather-output on",
        "--scheme logits --ranks 4 --sequence-parallel megatron",
        "--scheme logits --ranks 4 --phase prefill",
        "--scheme logits --ranks 4 --phase decode",
        "--scheme data-parallel --ranks 4 --micro-batches 3",
        "--scheme data-parallel --ranks 4",
        "--scheme zero1 --ranks 4",
        "--scheme zero1 --ranks 4 --layer block --micro-batches 2",
        "--scheme zero2 --ranks 4",
        "--scheme zero2 --ranks 4 --layers 2 --overlap on --micro-batches 2",
        "--scheme zero3 --ranks 4",
        "--scheme zero3 --ranks 4 --layer block --recompute full --micro-batches 2",
        "--scheme zero3 --ranks 4 --phase prefill",
        "--scheme pipeline --ranks 4 --micro-batches 6",
        "--scheme pipeline --ranks 4 --layers 8 --micro-batches 3 --schedule gpipe --layer block",
        "--scheme pipeline --ranks 4 --micro-batches 2 --stage-delay 1:2",
        "--scheme pipeline --ranks 4 --phase decode --micro-batches 4",
        "--scheme mlp --mesh tp=2,dp=2",
        "--scheme mlp --mesh tp=2,dp=2 --zero 1 --micro-batches 2",
        "--scheme block --mesh tp=2,dp=2 --zero 2 --sequence-parallel megatron",
        "--scheme block --mesh tp=2,dp=2 --zero 3 --kv-heads 1",
        "--scheme block --mesh tp=2,pp=2 --micro-batches 3 --sequence-parallel megatron",
        "--scheme mlp --mesh dp=2,pp=2 --micro-batches 4 --zero 2",
        "--scheme block --mesh tp=2,dp=2,pp=2 --micro-batches 2 --overlap on",
        "--scheme attention --mesh tp=2,dp=2 --phase decode",
        "--scheme row --ranks 4 --phase prefill --weight-dtype int8",
        "--scheme mlp --ranks 4 --phase decode --weight-dtype int8 --mlp swiglu",
        "--scheme attention --ranks 4 --kv-heads 2 --phase decode --weight-dtype int8",
        "--scheme block --mesh tp=2,pp=2 --phase prefill --weight-dtype int8",
    };
    return lines;
}

/// These, and single layers and smaller worlds.
inline std::vector<std::string> everyScheme()
{
    std::vector<std::string> lines = everyLargerScheme();
    for (const char *single :
         {"--scheme column --ranks 4", "--scheme column --ranks 4 --gather-output on", "--scheme row --ranks 4",
          "--scheme row --ranks 4 --input-parallel off", "--scheme mlp --ranks 4 --mlp swiglu",
          "--scheme block --ranks 1 --layers 2", "--scheme attention --ranks 2 --layers 2"})
        lines.emplace_back(single);
    return lines;
}

/// The bug lab on 4 ranks, each as small as its mistake can show.
inline const std::vector<std::string> &everyBug()
{
    static const std::vector<std::string> lines{
        "--scheme bug:row-bias-each-rank --ranks 4",
        "--scheme bug:all-reduce-columns --ranks 4",
        "--scheme bug:nonlinearity-on-partial --ranks 4",
        "--scheme bug:all-reduce-weight-gradient --ranks 4",
        "--scheme bug:missing-input-gradient-reduce --ranks 4",
        "--scheme bug:average-instead-of-sum --ranks 4",
        "--scheme bug:concat-partials --ranks 4",
        "--scheme bug:unsharded-heads --ranks 4",
        "--scheme bug:unreduced-kv --ranks 4 --kv-heads 2",
        "--scheme bug:naive-exercise --ranks 4",
    };
    return lines;
}

/// A small layer that every one of them accepts.
inline OptionValues smallModel(const std::string &line)
{
    OptionValues given = optionsIn(line);
    const OptionValues small{{"hidden", "32"}, {"batch", "2"}, {"sequence", "8"}};
    given.insert(small.begin(), small.end());
    const Scheme scheme = [&] {
        Experiment e;
        findOption("scheme")->set(e, given.at("scheme"));
        return e.scheme;
    }();
    Experiment e;
    e.scheme = scheme;
    if (given.contains("layer"))
        findOption("layer")->set(e, given.at("layer"));
    if (findOption("heads")->applies(e))
        given.insert({"heads", "8"});
    if (findOption("vocabulary")->applies(e))
        given.insert({"vocabulary", "40"});
    return given;
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
