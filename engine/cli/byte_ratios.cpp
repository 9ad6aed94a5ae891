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

/// Backward against forward, along tp.
std::string backwardReason(const Experiment &e)
{
    if (e.pair != Pair::ColumnRow)
        return "in the order " + std::string(name(e.pair)) +
               " backward has collectives of its own, which the plan's steps explain";
    if (!e.inputGradient && e.layers == 1)
        return "nobody needs the gradient of X here, so backward sums nothing";
    std::string text = "backward sums the input gradient of each column-parallel layer as forward sums the output of "
                       "each row-parallel one: 1.0 more";
    if (!e.inputGradient)
        text += ", less what the first layer leaves out";
    if (e.sequenceParallel == SequenceParallel::Megatron)
        text += ", and gathers the input of each column-parallel layer once more for its weight gradient: 0.5";
    return text;
}

/// Why the ratios are what they are; only what this layer has is named.
std::string reason(const Experiment &e)
{
    std::string text = "forward counts 1.0; " + backwardReason(e);
    const bool sharedHeads = option_uses::attention(e) && e.kvHeads < e.extent(MeshAxis::Tp);
    if (sharedHeads)
        text += "; ranks that hold the same KV heads also sum their gradients of Wk and Wv";
    if (e.extent(MeshAxis::Dp) > 1)
        text += "; along dp the replicas sum their weight gradients in backward, bytes of the parameters";
    if (e.extent(MeshAxis::Dp) > 1 && e.zeroStage() == 3)
        text += ", which ZeRO-3 gathers for forward and again for backward";
    if (e.extent(MeshAxis::Pp) > 1)
        text += "; a stage sends the gradient of what it was sent back";
    if (option_uses::attention(e))
        text += "; selective recomputation repeats core attention, in which nothing travels";
    return text + "; full recomputation repeats every collective of forward" +
           (e.extent(MeshAxis::Dp) * e.extent(MeshAxis::Pp) > 1 ? " along tp. " : ": 1.0. ") +
           (sharedHeads ? "Other weight gradients" : "Weight gradients") +
           " add nothing along tp. These are bytes for the same tokens, not times.";
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
