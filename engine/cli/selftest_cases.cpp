// SPDX-License-Identifier: MIT
#include "engine/cli/selftest.h"

#include "engine/plan/experiment_options.h"

#include <algorithm>
#include <array>

namespace shardscope::cli {
namespace {

/// A scheme with some of its options. A phase or number of ranks in which one of them says nothing, or that the layer
/// does not divide into, is not walked: it would be another variant's run.
struct Variant {
    std::string title;
    OptionValues options;
    bool standsForItsKind =
        false; ///< walked in every dtype and on any number of ranks, not in f32 on two and four only
};

using Variants = std::vector<Variant>;

Variants linearLayers()
{
    return {
        {"column", {{"scheme", "column"}}, true},
        {"column, gather-output", {{"scheme", "column"}, {"gather-output", "on"}}},
        {"column, no input-gradient", {{"scheme", "column"}, {"input-gradient", "off"}}},
        {"column, overlap", {{"scheme", "column"}, {"overlap", "on"}}},
        {"column, reduce to root", {{"scheme", "column"}, {"reduce-to", "root"}}},
        {"row", {{"scheme", "row"}}, true},
        {"row, input whole", {{"scheme", "row"}, {"input-parallel", "off"}}},
        {"column, int8 weights", {{"scheme", "column"}, {"weight-dtype", "int8"}}},
        {"row, int8 weights", {{"scheme", "row"}, {"weight-dtype", "int8"}}},
        {"row, reduce to root", {{"scheme", "row"}, {"reduce-to", "root"}}},
    };
}

/// What mlp, attention and block all have.
Variants repeatedLayer(const std::string &scheme)
{
    const auto with = [&](OptionValues options) {
        options["scheme"] = scheme;
        return options;
    };
    return {
        {scheme, with({}), true},
        {scheme + ", no bias", with({{"bias", "off"}})},
        {scheme + ", no input-gradient", with({{"input-gradient", "off"}})},
        {scheme + ", swiglu", with({{"mlp", "swiglu"}})},
        {scheme + ", two KV heads", with({{"kv-heads", "2"}})},
        {scheme + ", one KV head", with({{"kv-heads", "1"}})},
        {scheme + ", pair row-column", with({{"pair", "row-column"}})},
        {scheme + ", pair row-row", with({{"pair", "row-row"}})},
        {scheme + ", pair column-column", with({{"pair", "column-column"}})},
        {scheme + ", side by side", with({{"parallel-block", "on"}})},
        {scheme + ", side by side, sequence-parallel",
         with({{"parallel-block", "on"}, {"sequence-parallel", "megatron"}})},
        {scheme + ", side by side, sequence-parallel keep",
         with({{"parallel-block", "on"}, {"sequence-parallel", "keep"}})},
        {scheme + ", reduce to root", with({{"reduce-to", "root"}})},
        {scheme + ", sequence-parallel", with({{"sequence-parallel", "megatron"}}), scheme == "block"},
        {scheme + ", sequence-parallel keep", with({{"sequence-parallel", "keep"}})},
        {scheme + ", recompute selective", with({{"recompute", "selective"}})},
        {scheme + ", recompute full", with({{"recompute", "full"}})},
        {scheme + ", both", with({{"recompute", "full"}, {"sequence-parallel", "megatron"}})},
        {scheme + ", int8 weights", with({{"weight-dtype", "int8"}})},
        {scheme + ", int8 weights, two KV heads", with({{"weight-dtype", "int8"}, {"kv-heads", "2"}})},
        {scheme + ", int8 weights, row-column", with({{"weight-dtype", "int8"}, {"pair", "row-column"}})},
        {scheme + ", overlap", with({{"overlap", "on"}})},
        {scheme + ", overlap and sequence-parallel", with({{"overlap", "on"}, {"sequence-parallel", "megatron"}})},
        {scheme + ", two layers", with({{"layers", "2"}})},
        {scheme + ", two layers, recompute", with({{"layers", "2"}, {"recompute", "full"}})},
        {scheme + ", three micro-batches", with({{"micro-batches", "3"}})},
    };
}

Variants vocabulary()
{
    return {
        {"embedding", {{"scheme", "embedding"}}, true},
        {"embedding, sequence-parallel", {{"scheme", "embedding"}, {"sequence-parallel", "megatron"}}},
        {"logits", {{"scheme", "logits"}}, true},
        {"logits, gather-output", {{"scheme", "logits"}, {"gather-output", "on"}}},
        {"logits, no input-gradient", {{"scheme", "logits"}, {"input-gradient", "off"}}},
        {"logits, sequence-parallel", {{"scheme", "logits"}, {"sequence-parallel", "megatron"}}},
        {"logits, sequence-parallel keep", {{"scheme", "logits"}, {"sequence-parallel", "keep"}}},
        {"logits, overlap", {{"scheme", "logits"}, {"overlap", "on"}}},
    };
}

Variants replicas(const std::string &scheme)
{
    const auto with = [&](OptionValues options) {
        options["scheme"] = scheme;
        return options;
    };
    return {
        {scheme, with({}), true},
        {scheme + ", two layers", with({{"layers", "2"}})},
        {scheme + ", three micro-batches", with({{"micro-batches", "3"}})},
        {scheme + ", overlap", with({{"overlap", "on"}, {"layers", "2"}, {"micro-batches", "2"}})},
        {scheme + ", recompute full", with({{"recompute", "full"}, {"layers", "2"}})},
        {scheme + " of block", with({{"layer", "block"}})},
    };
}

Variants pipelines()
{
    return {
        {"pipeline", {{"scheme", "pipeline"}}, true},
        {"pipeline, 1f1b", {{"scheme", "pipeline"}, {"micro-batches", "5"}, {"schedule", "1f1b"}}},
        {"pipeline, gpipe", {{"scheme", "pipeline"}, {"micro-batches", "5"}, {"schedule", "gpipe"}}},
        {"pipeline, recompute full", {{"scheme", "pipeline"}, {"micro-batches", "2"}, {"recompute", "full"}}},
        {"pipeline of block", {{"scheme", "pipeline"}, {"micro-batches", "2"}, {"layer", "block"}}},
    };
}

/// Of four and of eight ranks.
Variants meshes()
{
    Variants all;
    for (const char *scheme : {"mlp", "block"}) {
        const auto add = [&](const std::string &title, OptionValues options) {
            options["scheme"] = scheme;
            all.push_back({std::string(scheme) + ", " + title, std::move(options)});
        };
        for (const char *zero : {"0", "1", "2", "3"})
            add("tp x dp, zero " + std::string(zero), {{"mesh", "tp=2,dp=2"}, {"zero", zero}});
        add("tp x dp, zero 3, micro-batches", {{"mesh", "tp=2,dp=2"}, {"zero", "3"}, {"micro-batches", "2"}});
        add("tp x dp, sequence-parallel", {{"mesh", "tp=2,dp=2"}, {"sequence-parallel", "megatron"}});
        add("tp x pp", {{"mesh", "tp=2,pp=2"}, {"micro-batches", "2"}});
        add("tp x pp, gpipe", {{"mesh", "tp=2,pp=2"}, {"micro-batches", "3"}, {"schedule", "gpipe"}});
        add("dp x pp", {{"mesh", "dp=2,pp=2"}, {"micro-batches", "2"}});
        add("tp x dp x pp", {{"mesh", "tp=2,dp=2,pp=2"}, {"micro-batches", "2"}});
        add("tp x dp x pp, zero 1", {{"mesh", "tp=2,dp=2,pp=2"}, {"micro-batches", "2"}, {"zero", "1"}});
    }
    all.push_back(
        {"attention, two KV heads, tp x dp", {{"scheme", "attention"}, {"kv-heads", "2"}, {"mesh", "tp=4,dp=2"}}});
    return all;
}

Variants algorithms()
{
    Variants all;
    for (const char *algorithm : {"ring", "direct", "tree", "halving-doubling"}) {
        for (const char *scheme : {"mlp", "zero3"})
            all.push_back({std::string(scheme) + ", " + algorithm, {{"scheme", scheme}, {"algorithm", algorithm}}});
    }
    return all;
}

Variants bugs()
{
    Variants all;
    for (const ExperimentOption &option : experimentOptions()) {
        if (option.name != "scheme")
            continue;
        for (const std::string &scheme : option.values) {
            if (!scheme.starts_with("bug:"))
                continue;
            all.push_back({scheme + " is caught", {{"scheme", scheme}}});
            if (scheme == "bug:unreduced-kv")
                all.back().options["kv-heads"] = "1";
        }
    }
    return all;
}

/// What eight ranks are started for.
Variants ofEightRanks()
{
    return {
        {"mlp", {{"scheme", "mlp"}}},
        {"block", {{"scheme", "block"}}},
        {"block, one KV head", {{"scheme", "block"}, {"kv-heads", "1"}}},
        {"block, sequence-parallel", {{"scheme", "block"}, {"sequence-parallel", "megatron"}}},
        {"logits", {{"scheme", "logits"}}},
        {"zero3", {{"scheme", "zero3"}}},
        {"pipeline", {{"scheme", "pipeline"}}},
    };
}

void append(Variants &all, Variants more)
{
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Variants rightOnes()
{
    Variants all = linearLayers();
    for (const char *scheme : {"mlp", "attention", "block"})
        append(all, repeatedLayer(scheme));
    append(all, vocabulary());
    for (const char *scheme : {"data-parallel", "zero1", "zero2", "zero3"})
        append(all, replicas(scheme));
    append(all, pipelines());
    append(all, algorithms());
    return all;
}

/// Small enough that a thousand runs take a minute, and divisible: by 2, 3 and 4, or by 8.
OptionValues smallLayer(int ranks)
{
    const bool eight = ranks == 8;
    return {{"hidden", "48"},     {"ffn", "96"},  {"heads", eight ? "8" : "12"},
            {"vocabulary", "96"}, {"batch", "2"}, {"sequence", eight ? "8" : "12"},
            {"cache", "5"},       {"steps", "1"}, {"warmup", "0"}};
}

class Cases
{
public:
    void add(const Variant &variant, int ranks, bool mustFail = false)
    {
        for (const char *phase : {"training", "prefill", "decode"}) {
            for (const char *dtype : {"f32", "f64", "bf16", "f16"}) {
                const bool wanted = std::string_view(dtype) == "f32" || (variant.standsForItsKind && ranks != 3);
                if (wanted)
                    add(variant, ranks, {{"phase", phase}, {"dtype", dtype}}, mustFail);
            }
        }
    }
    [[nodiscard]] std::vector<SelftestCase> take() { return std::move(m_cases); }

private:
    void add(const Variant &variant, int ranks, OptionValues options, bool mustFail)
    {
        options.insert(variant.options.begin(), variant.options.end());
        if (!options.contains("mesh"))
            options["ranks"] = std::to_string(ranks);
        options.merge(smallLayer(ranks));
        const Expected<Experiment> read = readExperiment(options, Unused::Allow);
        if (!read || read->ranks() != ranks)
            return;
        const auto used = [&](const auto &entry) { return findOption(entry.first)->applies(*read); };
        if (std::ranges::all_of(variant.options, used))
            m_cases.push_back({variant.title, *read, mustFail});
    }

    std::vector<SelftestCase> m_cases;
};

} // namespace

std::vector<SelftestCase> selftestCases()
{
    Cases cases;
    for (const int ranks : {1, 2, 3, 4, 8}) {
        const bool all = ranks == 2 || ranks == 4;
        for (const Variant &variant : ranks == 8 ? ofEightRanks() : rightOnes()) {
            if (all || ranks == 8 || variant.standsForItsKind)
                cases.add(variant, ranks);
        }
        for (const Variant &variant : meshes())
            cases.add(variant, ranks);
        for (const Variant &variant : all ? bugs() : Variants())
            cases.add(variant, ranks, true);
    }
    return cases.take();
}

} // namespace shardscope::cli
