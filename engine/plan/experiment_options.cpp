// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"

#include <algorithm>
#include <array>

namespace shardscope {
namespace {

using Kind = ExperimentOption::Kind;
using Problem = std::optional<Text>;
using Applies = std::function<bool(const Experiment &)>;

bool always(const Experiment &)
{
    return true;
}

/// Stores what was read, or says why nothing could be.
template <typename T, typename Store>
Problem stored(const Expected<T> &read, Store store)
{
    if (!read)
        return read.problem();
    store(*read);
    return std::nullopt;
}

/// An option that applies everywhere; its `set` and `get` are still to come.
ExperimentOption newOption(std::string_view name, std::string_view meaning, std::string_view defaultText, Kind kind)
{
    ExperimentOption made;
    made.name = name;
    made.meaning = meaning;
    made.defaultText = defaultText;
    made.kind = kind;
    made.applies = always;
    return made;
}

/// An option whose words are the values of an enum, listed in the enum's order by the function name().
template <typename Enum>
ExperimentOption wordOption(std::string_view called, std::string_view meaning, Enum Experiment::*field,
                            std::vector<Enum> values, std::vector<std::string_view> later = {},
                            Applies applies = always)
{
    std::vector<std::string> words;
    for (const Enum value : values)
        words.emplace_back(name(value));
    ExperimentOption made = newOption(called, meaning, name(Experiment{}.*field), Kind::Word);
    made.values = words;
    made.applies = std::move(applies);
    made.set = [=](Experiment &e, std::string_view text) {
        return stored(readWord(called, text, words, later), [&](std::size_t index) { e.*field = values[index]; });
    };
    made.get = [=](const Experiment &e) { return std::string(name(e.*field)); };
    return made;
}

template <typename Integer>
ExperimentOption integerOption(std::string_view called, std::string_view meaning, std::string_view defaultText,
                               Integer Experiment::*field, std::int64_t least, std::int64_t most)
{
    ExperimentOption made = newOption(called, meaning, defaultText, Kind::Integer);
    made.set = [=](Experiment &e, std::string_view text) {
        return stored(readInteger(called, text, least, most),
                      [&](std::int64_t value) { e.*field = static_cast<Integer>(value); });
    };
    made.get = [=](const Experiment &e) { return std::to_string(e.*field); };
    return made;
}

ExperimentOption switchOption(std::string_view called, std::string_view meaning, bool Experiment::*field,
                              Applies applies = always)
{
    const std::vector<std::string> words{"on", "off"};
    ExperimentOption made = newOption(called, meaning, Experiment{}.*field ? "on" : "off", Kind::Switch);
    made.values = words;
    made.applies = std::move(applies);
    made.set = [=](Experiment &e, std::string_view text) {
        return stored(readWord(called, text, words), [&](std::size_t index) { e.*field = index == 0; });
    };
    made.get = [=](const Experiment &e) { return std::string(e.*field ? "on" : "off"); };
    return made;
}

ExperimentOption schemeOption()
{
    ExperimentOption made = wordOption(
        "scheme", "what is cut and how: the layer that runs", &Experiment::scheme,
        {Scheme::Column, Scheme::Row, Scheme::Mlp, Scheme::BugRowBiasEachRank, Scheme::BugAllReduceColumns},
        {"attention", "block", "embedding", "logits", "data-parallel", "zero1", "zero2", "zero3", "pipeline"});
    // The bug lab will grow: a bug that is not known yet is no typing error.
    made.set = [set = made.set, words = made.values](Experiment &e, std::string_view text) -> Problem {
        auto problem = set(e, text);
        if (problem && text.starts_with("bug:"))
            return Text{TextId::ValueNotInThisVersion, {"scheme", std::string(text), listText(words)}};
        return problem;
    };
    return made;
}

ExperimentOption ranksOption()
{
    ExperimentOption made = newOption("ranks", "world size N: processes that share the layer",
                                      "2, or the product of --mesh", Kind::Integer);
    made.set = [](Experiment &e, std::string_view text) {
        return stored(readInteger("ranks", text, 1, kMostRanks), [&](std::int64_t value) {
            e.mesh = Mesh{{static_cast<int>(value), 1, 1}};
        });
    };
    made.get = [](const Experiment &e) { return std::to_string(e.ranks()); };
    return made;
}

Problem readMesh(Experiment &e, std::string_view text)
{
    const Text malformed{TextId::OptionMesh, {std::string(text), std::to_string(kMostRanks)}};
    for (const std::string_view axis : {"dp=", "pp="}) {
        if (text.find(axis) != std::string_view::npos)
            return Text{TextId::ValueNotInThisVersion, {"mesh", std::string(text), "tp=N"}};
    }
    if (!text.starts_with("tp="))
        return malformed;
    const auto size = readInteger("mesh", text.substr(3), 1, kMostRanks);
    if (!size)
        return malformed;
    e.mesh = Mesh{{static_cast<int>(*size), 1, 1}};
    return std::nullopt;
}

ExperimentOption meshOption()
{
    ExperimentOption made =
        newOption("mesh", "ranks along each axis of the device mesh: tp=N", "tp=ranks", Kind::Other);
    made.set = readMesh;
    made.get = [](const Experiment &e) {
        std::string text = "tp=" + std::to_string(e.mesh.extent(MeshAxis::Tp));
        for (const MeshAxis axis : {MeshAxis::Dp, MeshAxis::Pp}) {
            if (e.mesh.extent(axis) != 1)
                text += "," + std::string(axisName(axis)) + "=" + std::to_string(e.mesh.extent(axis));
        }
        return text;
    };
    return made;
}

ExperimentOption seedOption()
{
    ExperimentOption made = newOption("seed", "of the generator of weights and inputs", "1", Kind::Integer);
    made.set = [](Experiment &e, std::string_view text) {
        return stored(readUnsigned("seed", text), [&](std::uint64_t value) { e.seed = value; });
    };
    made.get = [](const Experiment &e) { return std::to_string(e.seed); };
    return made;
}

Problem readDelay(Experiment &e, std::string_view text)
{
    if (text == "none") {
        e.delay.reset();
        return std::nullopt;
    }
    const Text malformed{TextId::OptionDelay, {std::string(text), numberText(kMostDelayMilliseconds)}};
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return malformed;
    const auto rank = readInteger("delay", text.substr(0, colon), 0, kMostRanks - 1);
    const auto milliseconds = readNumber("delay", text.substr(colon + 1), 0, kMostDelayMilliseconds);
    if (!rank || !milliseconds)
        return malformed;
    e.delay = Delay{static_cast<int>(*rank), *milliseconds};
    return std::nullopt;
}

ExperimentOption delayOption()
{
    ExperimentOption made = newOption(
        "delay", "RANK:MS makes a rank late before each step's first operation, to show waiting", "none", Kind::Other);
    made.set = readDelay;
    made.get = [](const Experiment &e) {
        return e.delay ? std::to_string(e.delay->rank) + ":" + numberText(e.delay->milliseconds) : "none";
    };
    return made;
}

ExperimentOption timeoutOption()
{
    ExperimentOption made = newOption("timeout", "seconds that one collective may take", "10", Kind::Number);
    made.set = [](Experiment &e, std::string_view text) {
        return stored(readNumber("timeout", text, kLeastTimeoutSeconds, kMostTimeoutSeconds),
                      [&](double value) { e.timeoutSeconds = value; });
    };
    made.get = [](const Experiment &e) { return numberText(e.timeoutSeconds); };
    return made;
}

bool isScheme(const Experiment &e, Scheme scheme)
{
    return e.scheme == scheme;
}

std::vector<ExperimentOption> makeOptions()
{
    using E = Experiment;
    const Applies mlpOnly = [](const E &e) { return isScheme(e, Scheme::Mlp); };
    const Applies columnOnly = [](const E &e) { return isScheme(e, Scheme::Column); };
    const Applies rowOnly = [](const E &e) { return isScheme(e, Scheme::Row); };
    const Applies trainingOnly = [](const E &e) { return e.phase == Phase::Training; };
    return {
        schemeOption(),
        wordOption("phase", "training: forward and backward; prefill: forward of all tokens; decode: one token each",
                   &E::phase, {Phase::Training, Phase::Prefill, Phase::Decode}),
        ranksOption(),
        meshOption(),
        integerOption("hidden", "h, the model's width", "1024", &E::hidden, 1, kMostHidden),
        integerOption("ffn", "f, the layer's inner width", "4h", &E::ffn, 1, kMostFfn),
        wordOption("mlp", "the non-linear function between the two products", &E::mlp, {MlpKind::Gelu, MlpKind::Swiglu},
                   {}, mlpOnly),
        integerOption("batch", "b, sequences", "4", &E::batch, 1, kMostBatch),
        integerOption("sequence", "s, tokens of each sequence; decode adds one token to each", "64", &E::sequence, 1,
                      kMostSequence),
        wordOption("dtype", "number format of weights and activations", &E::dtype,
                   {DType::F32, DType::F64, DType::BF16, DType::F16}),
        switchOption("bias", "add a bias to each linear layer", &E::bias),
        switchOption("gather-output", "column: all-gather Y, so that every rank has it whole", &E::gatherOutput,
                     columnOnly),
        switchOption("input-parallel", "row: X arrives already cut, as a column layer leaves it", &E::inputParallel,
                     rowOnly),
        switchOption("input-gradient", "training: X needs a gradient; off for a first layer", &E::inputGradient,
                     trainingOnly),
        wordOption("backend", "what carries the ranks", &E::backend, {Backend::Auto, Backend::Cpu}, {"cuda"}),
        integerOption("threads", "compute threads per rank; 0: cores allowed / ranks, at least 1", "0", &E::threads, 0,
                      kMostThreads),
        wordOption(
            "algorithm", "how the collectives send", &E::algorithm,
            {Algorithm::Library, Algorithm::Ring, Algorithm::Tree, Algorithm::Direct, Algorithm::HalvingDoubling}),
        integerOption("steps", "timed repetitions", "20", &E::steps, 1, kMostSteps),
        integerOption("warmup", "repetitions before the timed ones", "3", &E::warmup, 0, kMostSteps),
        seedOption(),
        delayOption(),
        timeoutOption(),
    };
}

constexpr std::array<std::string_view, 16> kFutureOptions{
    "heads",    "kv-heads",          "vocabulary",     "layers",   "pair",      "layer",
    "cache",    "sequence-parallel", "parallel-block", "overlap",  "reduce-to", "micro-batches",
    "schedule", "stage-delay",       "zero",           "recompute"};

} // namespace

const std::vector<ExperimentOption> &experimentOptions()
{
    static const std::vector<ExperimentOption> options = makeOptions();
    return options;
}

const ExperimentOption *findOption(std::string_view name)
{
    for (const ExperimentOption &option : experimentOptions()) {
        if (option.name == name)
            return &option;
    }
    return nullptr;
}

bool isFutureOption(std::string_view name)
{
    return std::find(kFutureOptions.begin(), kFutureOptions.end(), name) != kFutureOptions.end();
}

} // namespace shardscope
