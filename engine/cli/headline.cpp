// SPDX-License-Identifier: MIT
#include "engine/cli/headline.h"

#include "engine/plan/experiment_options.h"
#include "engine/plan/option_uses.h"

#include <vector>

namespace shardscope::cli {
namespace {

using Words = std::vector<std::string>;

std::string option(const Experiment &e, std::string_view name)
{
    return std::string(name) + ' ' + findOption(name)->get(e);
}

/// "mlp (swiglu)", "zero3 of block": the scheme and the layer that it runs.
std::string schemeText(const Experiment &e)
{
    std::string text(name(e.scheme));
    if (option_uses::layer(e))
        text += " of " + std::string(name(e.layer));
    if (option_uses::mlp(e))
        text += " (" + std::string(name(e.mlp)) + ')';
    return text;
}

/// Options that leave the layer what it is and change what travels, where they are not at their defaults.
Words variants(const Experiment &e)
{
    const Experiment defaults;
    Words words;
    const auto add = [&](bool said, std::string_view name) {
        if (said && findOption(name)->applies(e))
            words.push_back(option(e, name));
    };
    add(e.pair != defaults.pair, "pair");
    add(e.gatherOutput, "gather-output");
    add(!e.inputParallel, "input-parallel");
    add(e.sequenceParallel != defaults.sequenceParallel, "sequence-parallel");
    add(e.recompute != defaults.recompute, "recompute");
    add(e.parallelBlock, "parallel-block");
    add(e.reduceTo != defaults.reduceTo, "reduce-to");
    add(e.zero != defaults.zero, "zero");
    add(e.extent(MeshAxis::Pp) > 1, "schedule");
    add(e.overlap, "overlap");
    add(e.weightDtype != defaults.weightDtype, "weight-dtype");
    return words;
}

/// How it is sent, at the end of every headline.
Words ending(const Experiment &e)
{
    Words words = variants(e);
    words.emplace_back(name(e.dtype));
    words.push_back(std::string(name(e.algorithm)) +
                    (e.algorithm == Algorithm::Library ? "'s collectives" : " collectives"));
    return words;
}

} // namespace

std::string sizesText(const Experiment &e)
{
    Words words{"h " + std::to_string(e.hidden)};
    if (option_uses::ffn(e))
        words.push_back("f " + std::to_string(e.ffn));
    if (option_uses::attention(e)) {
        words.push_back(counted(e.heads, "head|heads"));
        if (e.kvHeads != e.heads)
            words.push_back(counted(e.kvHeads, "KV head|KV heads"));
    }
    if (option_uses::vocabulary(e))
        words.push_back("V " + std::to_string(e.vocabulary));
    if (e.layers > 1)
        words.push_back(counted(e.layers, "layer|layers"));
    return commaList(words);
}

std::string ranksText(const Experiment &e)
{
    const std::string text = counted(e.ranks(), "rank|ranks");
    const bool oneAxis = e.mesh == meshAlong(ownAxis(e.scheme), e.ranks());
    return oneAxis ? text : text + " (" + findOption("mesh")->get(e) + ')';
}

std::string tokensText(const Experiment &e)
{
    std::string factors;
    const auto add = [&factors](const std::string &factor) { factors += (factors.empty() ? "" : " x ") + factor; };
    if (e.extent(MeshAxis::Dp) > 1)
        add("dp " + std::to_string(e.extent(MeshAxis::Dp)));
    if (e.microBatches > 1)
        add("m " + std::to_string(e.microBatches));
    if (e.phase != Phase::Decode || !factors.empty())
        add(std::to_string(e.batch));
    if (e.phase != Phase::Decode)
        add(std::to_string(e.sequence));
    std::string text = counted(e.globalTokens(), "token|tokens");
    if (!factors.empty())
        text += " (" + factors + ')';
    if (option_uses::cache(e))
        text += ", " + std::to_string(e.cache) + " cached each";
    return text;
}

std::string headline(const Experiment &e)
{
    Words words{sizesText(e), tokensText(e)};
    for (std::string &word : ending(e))
        words.push_back(std::move(word));
    return schemeText(e) + ", " + std::string(name(e.phase)) + ", " + ranksText(e) + ": " + commaList(words);
}

std::string layerLine(const Experiment &e)
{
    Words words{sizesText(e), "batch " + std::to_string(e.batch), "sequence " + std::to_string(e.sequence)};
    if (e.microBatches > 1)
        words.push_back(counted(e.microBatches, "micro-batch|micro-batches"));
    for (std::string &word : ending(e))
        words.push_back(std::move(word));
    return schemeText(e) + ", " + ranksText(e) + ": " + commaList(words);
}

} // namespace shardscope::cli
