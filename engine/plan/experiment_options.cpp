// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"
#include "engine/plan/option_uses.h"

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
                               Integer Experiment::*field, std::int64_t least, std::int64_t most,
                               Applies applies = always)
{
    ExperimentOption made = newOption(called, meaning, defaultText, Kind::Integer);
    made.applies = std::move(applies);
    made.set = [=](Experiment &e, std::string_view text) {
        return stored(readInteger(called, text, least, most),
                      [&](std::int64_t value) { e.*field = static_cast<Integer>(value); });
    };
    made.get = [=](const Experiment &e) { return std::to_string(e.*field); };
    return made;
}

/// A whole number of which a run allows fewer than a prediction (run_limits.h).
Expected<std::int64_t> readPredicted(std::string_view option, std::string_view text, std::int64_t mostInRun,
                                     std::int64_t most)
{
    const Expected<std::int64_t> read = readInteger(option, text, 1, most);
    if (read)
        return read;
    Text problem = read.problem();
    problem.id = problem.id == TextId::OptionOutOfRange ? TextId::PredictedOutOfRange : TextId::PredictedNotWhole;
    problem.args.back() = std::to_string(mostInRun);
    problem.args.push_back(std::to_string(most));
    return problem;
}

template <typename Integer>
ExperimentOption predictedOption(std::string_view called, std::string_view meaning, std::string_view defaultText,
                                 Integer Experiment::*field, std::int64_t mostInRun, std::int64_t most, Applies applies)
{
    ExperimentOption made = integerOption(called, meaning, defaultText, field, 1, most, std::move(applies));
    made.set = [=](Experiment &e, std::string_view text) {
        return stored(readPredicted(called, text, mostInRun, most),
                      [&](std::int64_t value) { e.*field = static_cast<Integer>(value); });
    };
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
    return wordOption("scheme", "what is cut and how: the layer that runs", &Experiment::scheme,
                      {Scheme::Column,
                       Scheme::Row,
                       Scheme::Mlp,
                       Scheme::Attention,
                       Scheme::Block,
                       Scheme::Embedding,
                       Scheme::Logits,
                       Scheme::DataParallel,
                       Scheme::Zero1,
                       Scheme::Zero2,
                       Scheme::Zero3,
                       Scheme::Pipeline,
                       Scheme::BugRowBiasEachRank,
                       Scheme::BugAllReduceColumns,
                       Scheme::BugNonlinearityOnPartial,
                       Scheme::BugAllReduceWeightGradient,
                       Scheme::BugMissingInputGradientReduce,
                       Scheme::BugAverageInsteadOfSum,
                       Scheme::BugConcatPartials,
                       Scheme::BugUnshardedHeads,
                       Scheme::BugUnreducedKv,
                       Scheme::BugNaiveExercise});
}

ExperimentOption ranksOption()
{
    ExperimentOption made = newOption("ranks", "world size N: processes that share the layer",
                                      "2, or the product of --mesh", Kind::Integer);
    made.set = [](Experiment &e, std::string_view text) {
        return stored(readPredicted("ranks", text, kMostRanksInRun, kMostRanks),
                      [&](std::int64_t value) { e.mesh = meshAlong(ownAxis(e.scheme), static_cast<int>(value)); });
    };
    made.get = [](const Experiment &e) { return std::to_string(e.ranks()); };
    return made;
}

/// "tp=2,dp=2": each axis at most once, in any order.
Problem readMesh(Experiment &e, std::string_view text)
{
    const Text malformed{TextId::OptionMesh,
                         {std::string(text), std::to_string(kMostRanksInRun), std::to_string(kMostRanks)}};
    Mesh mesh;
    std::vector<MeshAxis> seen;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view item = text.substr(begin, end - begin);
        const auto axis = std::ranges::find_if(
            kMeshAxes, [&](MeshAxis each) { return item.starts_with(std::string(axisName(each)) + "="); });
        if (axis == kMeshAxes.end() || std::ranges::find(seen, *axis) != seen.end())
            return malformed;
        const auto size = readInteger("mesh", item.substr(3), 1, kMostRanks);
        if (!size)
            return malformed;
        // As a product at once: that of all three extents may leave an int.
        if (std::int64_t{mesh.size()} * *size > kMostRanks)
            return malformed;
        mesh.setExtent(*axis, static_cast<int>(*size));
        seen.push_back(*axis);
        begin = end + 1;
    }
    e.mesh = mesh;
    return std::nullopt;
}

ExperimentOption meshOption()
{
    ExperimentOption made = newOption("mesh", "ranks along each axis of the device mesh: tp=2,dp=2 (axes tp, dp, pp)",
                                      "the scheme's own axis", Kind::Other);
    made.set = readMesh;
    made.get = [](const Experiment &e) {
        std::string text;
        for (const MeshAxis axis : kMeshAxes) {
            const bool said = e.extent(axis) != 1 || (axis == ownAxis(e.scheme) && e.ranks() == 1);
            if (said)
                text += (text.empty() ? "" : ",") + std::string(axisName(axis)) + "=" + std::to_string(e.extent(axis));
        }
        return text;
    };
    return made;
}

ExperimentOption stageDelayOption()
{
    ExperimentOption made =
        newOption("stage-delay", "FORWARD:BACKWARD in ms pads every stage's work on a micro-batch, to show the bubble",
                  "none", Kind::Other);
    made.applies = [](const Experiment &e) { return e.extent(MeshAxis::Pp) > 1 || e.scheme == Scheme::Pipeline; };
    made.set = [](Experiment &e, std::string_view text) -> Problem {
        if (text == "none") {
            e.stageDelay.reset();
            return std::nullopt;
        }
        const std::size_t colon = std::min(text.find(':'), text.size());
        const auto forward = readNumber("stage-delay", text.substr(0, colon), 0, kMostDelayMilliseconds);
        const auto backward =
            readNumber("stage-delay", text.substr(std::min(colon + 1, text.size())), 0, kMostDelayMilliseconds);
        if (!forward || !backward)
            return Text{TextId::OptionStageDelay, {std::string(text), numberText(kMostDelayMilliseconds)}};
        e.stageDelay = StageDelay{*forward, *backward};
        return std::nullopt;
    };
    made.get = [](const Experiment &e) {
        return e.stageDelay ? numberText(e.stageDelay->forwardMs) + ":" + numberText(e.stageDelay->backwardMs) : "none";
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
    ExperimentOption made = newOption(
        "timeout", "seconds that one collective may take; auto: 10 on CPU ranks, 30 on GPUs", "auto", Kind::Number);
    made.set = [](Experiment &e, std::string_view text) -> std::optional<Text> {
        if (text == "auto") {
            e.timeoutSeconds = 0;
            return std::nullopt;
        }
        auto problem = stored(readNumber("timeout", text, kLeastTimeoutSeconds, kMostTimeoutSeconds),
                              [&](double value) { e.timeoutSeconds = value; });
        if (problem)
            problem->args.back() += ", or auto";
        return problem;
    };
    made.get = [](const Experiment &e) { return e.timeoutSeconds > 0 ? numberText(e.timeoutSeconds) : "auto"; };
    return made;
}

std::vector<ExperimentOption> makeOptions()
{
    using E = Experiment;
    namespace uses = option_uses;
    return {
        schemeOption(),
        wordOption("phase", "training: forward and backward; prefill: forward of all tokens; decode: one token each",
                   &E::phase, {Phase::Training, Phase::Prefill, Phase::Decode}),
        ranksOption(),
        meshOption(),
        integerOption("hidden", "h, the model's width", "1024", &E::hidden, 1, kMostHidden),
        integerOption("ffn", "f, the MLP's inner width", "4h", &E::ffn, 1, kMostFfn, uses::ffn),
        integerOption("heads", "a, query heads", "h/64", &E::heads, 1, kMostHeads, uses::attention),
        integerOption("kv-heads", "k, key and value heads", "a; for bug:unreduced-kv fewer than ranks", &E::kvHeads, 1,
                      kMostHeads, uses::attention),
        integerOption("vocabulary", "V, tokens of the vocabulary", "32000", &E::vocabulary, 1, kMostVocabulary,
                      uses::vocabulary),
        predictedOption("layers", "L, how often the layer is repeated", "1; with a pipeline one per stage", &E::layers,
                        kMostLayersInRun, kMostLayers, uses::layers),
        wordOption("mlp", "the non-linear function between the two products", &E::mlp, {MlpKind::Gelu, MlpKind::Swiglu},
                   {}, uses::mlp),
        wordOption("pair", "how the two linear layers of a pair are cut", &E::pair,
                   {Pair::ColumnRow, Pair::RowColumn, Pair::RowRow, Pair::ColumnColumn}, {}, uses::pair),
        wordOption("layer", "what data-parallel, zero and pipeline run", &E::layer, {Layer::Mlp, Layer::Block}, {},
                   uses::layer),
        integerOption("batch", "b, sequences of one micro-batch of one replica", "4", &E::batch, 1, kMostBatch),
        integerOption("sequence", "s, tokens of each sequence; decode adds one token to each", "64", &E::sequence, 1,
                      kMostSequence),
        integerOption("cache", "decode: tokens that are in the KV cache already", "s", &E::cache, 1, kMostSequence,
                      uses::cache),
        wordOption("dtype", "number format of weights and activations", &E::dtype,
                   {DType::F32, DType::F64, DType::BF16, DType::F16}),
        wordOption("weight-dtype",
                   "inference: what the weights of linear layers are kept in: same as dtype, or int8 with a scale for "
                   "each output channel, turned into dtype before each product (fp8: in `memory` only, LibTorch 1.13 "
                   "has none)",
                   &E::weightDtype, {WeightDType::Same, WeightDType::Int8}, {"fp8"}, uses::weightDtype),
        switchOption("bias", "add a bias to each linear layer", &E::bias, uses::bias),
        switchOption("gather-output", "column: all-gather Y; logits: the naive all-gather of all logits",
                     &E::gatherOutput, uses::gatherOutput),
        switchOption("input-parallel", "row: X arrives already cut, as a column layer leaves it", &E::inputParallel,
                     uses::inputParallel),
        switchOption("input-gradient", "training: X needs a gradient; off for a first layer", &E::inputGradient,
                     uses::inputGradient),
        wordOption("sequence-parallel",
                   "cut activations between the layers by tokens; backward gathers the input again "
                   "(megatron) or keeps it gathered (keep)",
                   &E::sequenceParallel, {SequenceParallel::Off, SequenceParallel::Megatron, SequenceParallel::Keep},
                   {}, uses::sequenceParallel),
        wordOption("recompute", "what backward computes again instead of keeping: core attention, or the whole layer",
                   &E::recompute, {Recompute::None, Recompute::Selective, Recompute::Full}, {}, uses::recompute),
        switchOption("parallel-block", "attention and MLP side by side on one norm", &E::parallelBlock,
                     uses::parallelBlock),
        switchOption("overlap", "run collectives beside the compute that does not need them", &E::overlap,
                     uses::overlap),
        wordOption("reduce-to", "where the sum of a row layer goes: to all ranks, or to rank 0, which broadcasts it",
                   &E::reduceTo, {ReduceTo::All, ReduceTo::Root}, {}, uses::reduceTo),
        predictedOption("micro-batches", "m, micro-batches of an optimizer step", "1", &E::microBatches,
                        kMostMicroBatchesInRun, kMostMicroBatches, uses::microBatches),
        wordOption("schedule", "order of micro-batches in a pipeline", &E::schedule,
                   {Schedule::OneFOneB, Schedule::GPipe}, {}, uses::schedule),
        stageDelayOption(),
        integerOption("zero", "ZeRO stage on the dp axis of a mesh", "0", &E::zero, 0, 3, uses::zero),
        wordOption("backend", "what carries the ranks", &E::backend, {Backend::Auto, Backend::Cpu, Backend::Cuda}),
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

} // namespace shardscope
