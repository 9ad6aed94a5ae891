// SPDX-License-Identifier: MIT
#include "engine/cli/byte_ratios.h"

#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/plan/experiment_options.h"
#include "engine/plan/option_uses.h"
#include "engine/plan/traffic.h"

#include <array>

namespace shardscope::cli {
namespace {

constexpr std::array kPasses{Pass::Forward, Pass::Recompute, Pass::Backward};

std::int64_t sentIn(const Traffic &traffic, Pass pass)
{
    return traffic.passes[static_cast<std::size_t>(pass)].sentBytesPerRank;
}

/// The same layer as prefill: what a training step is compared with.
Experiment asPrefill(const Experiment &training)
{
    const Experiment defaults;
    Experiment prefill = training;
    prefill.phase = Phase::Prefill;
    prefill.recompute = defaults.recompute;
    prefill.inputGradient = defaults.inputGradient;
    prefill.overlap = defaults.overlap;
    prefill.schedule = defaults.schedule;
    return prefill;
}

/// "training + selective recomputation".
std::string titleOf(Recompute recompute)
{
    const std::string title = "training";
    return recompute == Recompute::None ? title : title + " + " + std::string(name(recompute)) + " recomputation";
}

/// Why the ratios are what they are; only what this layer has is named.
std::string reason(const Experiment &e)
{
    std::string text = "forward counts 1.0; backward sums the input gradient of each column-parallel layer as forward "
                       "sums the output of each row-parallel one: 1.0 more";
    if (e.sequenceParallel == SequenceParallel::Megatron)
        text += ", and gathers the input of each column-parallel layer once more for its weight gradient: 0.5";
    if (option_uses::attention(e))
        text += "; selective recomputation repeats core attention, in which nothing travels";
    return text +
           "; full recomputation repeats every collective of forward: 1.0. Weight gradients add nothing along tp. "
           "These are bytes for the same tokens, not times.";
}

} // namespace

std::string recomputationRatios(const Plan &training, const Console &console)
{
    const Experiment &e = training.experiment;
    const Experiment prefill = asPrefill(e);
    if (!option_uses::recompute(e) || e.extent(MeshAxis::Tp) == 1 || validate(prefill))
        return "";
    const auto forward = static_cast<double>(traffic(buildPlan(prefill, training.transport)).total().sentBytesPerRank);
    if (forward <= 0)
        return "";
    TextTable table({{.title = "bytes of a step, by the plan"},
                     {.title = "forward", .right = true},
                     {.title = "recompute", .right = true},
                     {.title = "backward", .right = true},
                     {.title = "to a forward", .right = true}});
    for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
        Experiment variant = e;
        variant.recompute = recompute;
        if (validate(variant))
            continue; // selective, where there is no attention
        const Traffic sent = traffic(buildPlan(variant, training.transport));
        std::vector<std::string> cells{titleOf(recompute)};
        std::int64_t sum = 0;
        for (const Pass pass : kPasses) {
            cells.push_back(bytesText(sentIn(sent, pass)));
            sum += sentIn(sent, pass);
        }
        cells.push_back(ratioText(static_cast<double>(sum) / forward));
        table.add(std::move(cells));
    }
    return table.text(console) + "  " + console.dim(console.wrapped(reason(e), 2)) + '\n';
}

} // namespace shardscope::cli
