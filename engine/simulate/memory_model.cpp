// SPDX-License-Identifier: MIT
#include "engine/simulate/memory_model.h"

#include "engine/plan/option_limits.h"
#include "engine/record/format.h"
#include "engine/simulate/activation_memory.h"

#include <algorithm>
#include <array>

namespace shardscope {
namespace {

std::int64_t dividedUp(std::int64_t number, std::int64_t by)
{
    return (number + by - 1) / by;
}

/// "1.81e9": counts of parameters as people write them.
std::string big(std::int64_t number)
{
    constexpr std::int64_t kBillion = 1'000'000'000;
    constexpr std::int64_t kMillion = 1'000'000;
    if (number >= kBillion)
        return formatNumber(static_cast<double>(number) / kBillion) + "e9";
    if (number >= kMillion)
        return formatNumber(static_cast<double>(number) / kMillion) + "e6";
    return std::to_string(number);
}

/// Parameters that lie on one rank of a stage.
struct Held {
    MemoryPart part;
    Text name;
    std::int64_t parameters;
    std::int64_t dividedByTp; ///< a t-th of everything
    std::string symbols;      ///< how many they are, as a product or in brackets
    std::string numbers;
};

Held heldLayers(const Model &model, const ParameterCounts &counts, int layers, int tp)
{
    const std::int64_t others = counts.layerSharded - counts.layerKeyValue;
    const bool split = tp <= model.kvHeads;
    const std::int64_t perLayer = split ? counts.layerSharded / tp : others / tp + counts.layerKeyValue / model.kvHeads;
    const std::string symbols = split ? "L/p·W/t" : "L/p·((W - K)/t + K/k)";
    const std::string numbers = split
                                    ? std::to_string(layers) + "·" + big(counts.layerSharded) + '/' + std::to_string(tp)
                                    : std::to_string(layers) + "·(" + big(others) + '/' + std::to_string(tp) + " + " +
                                          big(counts.layerKeyValue) + '/' + std::to_string(model.kvHeads) + ')';
    return {MemoryPart::Layers,
            {model.biases ? TextId::MemoryLayers : TextId::MemoryLayerMatrices, {}},
            layers * perLayer,
            layers * counts.layerSharded / tp,
            symbols,
            numbers};
}

Held heldVocabulary(const Model &model, const StagePlace &stage, int tp)
{
    // A tied output layer on another stage than the embedding is a copy of its own.
    const bool head = stage.last && (!model.tiedEmbeddings || !stage.first);
    const int tables = (stage.first ? 1 : 0) + (head ? 1 : 0);
    const TextId id = tables == 2                 ? TextId::MemoryEmbeddingAndHead
                      : stage.first && stage.last ? TextId::MemoryTiedEmbedding
                      : stage.first               ? TextId::MemoryEmbedding
                                                  : TextId::MemoryHead;
    const std::int64_t rows = dividedUp(model.vocabulary, tp);
    const std::string times = tables == 2 ? "2·" : "";
    return {MemoryPart::EmbeddingAndHead,
            {id, {}},
            tables * rows * model.hidden,
            tables * model.vocabulary * model.hidden / tp,
            times + "V/t·h",
            times +
                (rows * tp == model.vocabulary ? std::to_string(model.vocabulary) + '/' + std::to_string(tp)
                                               : std::to_string(rows)) +
                "·" + std::to_string(model.hidden)};
}

Held heldReplicated(const Model &model, const ParameterCounts &counts, const StagePlace &stage, int tp)
{
    std::int64_t parameters = stage.layers * counts.layerReplicated;
    std::string symbols = "L/p·R";
    std::string numbers = std::to_string(stage.layers) + "·" + std::to_string(counts.layerReplicated);
    if (stage.first && model.learnedPositions) {
        parameters += counts.positions;
        symbols += " + s·h";
        numbers += " + " + std::to_string(model.sequence) + "·" + std::to_string(model.hidden);
    }
    if (stage.last) {
        parameters += counts.finalNorm;
        symbols += " + R_final";
        numbers += " + " + std::to_string(counts.finalNorm);
    }
    const TextId id = !model.biases                           ? TextId::MemoryNorms
                      : stage.first && model.learnedPositions ? TextId::MemoryReplicated
                                                              : TextId::MemoryNormsAndBiases;
    if (symbols.find('+') != std::string::npos) {
        symbols = '(' + symbols + ')';
        numbers = '(' + numbers + ')';
    }
    return {MemoryPart::Replicated, {id, {}}, parameters, parameters / tp, symbols, numbers};
}

std::vector<Held> heldBy(const Model &model, const StagePlace &stage, int tp)
{
    const ParameterCounts counts = parametersOf(model);
    std::vector<Held> held{heldLayers(model, counts, stage.layers, tp)};
    if (stage.first || stage.last)
        held.push_back(heldVocabulary(model, stage, tp));
    held.push_back(heldReplicated(model, counts, stage, tp));
    return held;
}

/// The weights of one layer on a rank of TP, whole again while ZeRO-3 computes it.
std::int64_t gatheredBytes(const Model &model, const MemorySettings &settings)
{
    const ParameterCounts counts = parametersOf(model);
    const std::int64_t parameters = heldLayers(model, counts, 1, settings.tp).parameters + counts.layerReplicated;
    return parameters * parameterBytes(settings.bytesPerParameter)->weight;
}

MemoryTerm stateTerm(const Held &held, MemoryKind kind, int bytes, int shards, const Text &source)
{
    MemoryTerm term;
    term.kind = kind;
    term.part = held.part;
    term.bytes = dividedUp(bytes * held.parameters, shards);
    term.parameters = held.parameters;
    term.bytesEach = bytes;
    term.shards = shards;
    term.dividedByTpBytes = dividedUp(bytes * held.dividedByTp, shards);
    term.name = held.name;
    term.parameterFormula = held.symbols + " = " + held.numbers;
    const std::string each = std::to_string(bytes) + "·";
    term.formula = each + held.symbols + (shards > 1 ? "/D = " : " = ") + each + held.numbers +
                   (shards > 1 ? '/' + std::to_string(shards) : "");
    term.source = source;
    return term;
}

Text stateSource(int bytesPerParameter)
{
    if (bytesPerParameter == 18)
        return {TextId::SourceState18, {}};
    return {bytesPerParameter == 16 ? TextId::SourceState16 : TextId::SourceState12, {}};
}

MemoryEstimate trainingStage(const Model &model, const MemorySettings &settings, int stageIndex)
{
    const StagePlace stage = stageOf(model, settings.pp, stageIndex);
    const ParameterBytes bytes = *parameterBytes(settings.bytesPerParameter);
    const Text source = stateSource(settings.bytesPerParameter);
    MemoryEstimate estimate;
    estimate.stage = stageIndex;
    estimate.layers = stage.layers;
    for (const Held &held : heldBy(model, stage, settings.tp)) {
        const auto add = [&](MemoryKind kind, int each, int leastZero) {
            const int shards = settings.zero >= leastZero ? settings.dp : 1;
            estimate.terms.push_back(stateTerm(held, kind, each, shards, source));
        };
        add(MemoryKind::Weights, bytes.weight, 3);
        add(MemoryKind::Gradients, bytes.gradient, 2);
        add(MemoryKind::Optimizer, bytes.optimizer, 1);
    }
    for (MemoryTerm &term : activationTerms(model, settings, stage))
        estimate.terms.push_back(std::move(term));
    return estimate;
}

MemoryTerm kvCacheTerm(const Model &model, const MemorySettings &settings, int layers)
{
    const std::int64_t heads = std::max<std::int64_t>(1, model.kvHeads / settings.tp);
    const std::int64_t tokens = settings.batch * settings.sequence;
    MemoryTerm term;
    term.kind = MemoryKind::KvCache;
    term.bytes = tokens * kvBytesPerToken(model, settings.tp) / model.layers * layers;
    term.dividedByTpBytes = tokens * kvBytesPerToken(model, 1) / model.layers * layers / settings.tp;
    term.name = {TextId::MemoryKvCache, {}};
    term.formula = "b·s·2·L/p·max(1, k/t)·d·2 = " + std::to_string(settings.batch) + "·" +
                   std::to_string(settings.sequence) + "·2·" + std::to_string(layers) + "·" + std::to_string(heads) +
                   "·" + std::to_string(model.headSize()) + "·2";
    term.source = {TextId::SourceKvCache, {}};
    return term;
}

MemoryEstimate inferenceStage(const Model &model, const MemorySettings &settings, int stageIndex)
{
    const StagePlace stage = stageOf(model, settings.pp, stageIndex);
    MemoryEstimate estimate;
    estimate.stage = stageIndex;
    estimate.layers = stage.layers;
    for (const Held &held : heldBy(model, stage, settings.tp)) {
        const bool quantized = settings.weights != WeightFormat::Bf16 && held.part == MemoryPart::Layers;
        estimate.terms.push_back(
            stateTerm(held, MemoryKind::Weights, quantized ? 1 : 2, 1, {TextId::SourceInferenceWeights, {}}));
    }
    estimate.terms.push_back(kvCacheTerm(model, settings, stage.layers));
    return estimate;
}

/// The first stage keeps most activations, the last has the output layer; no stage between has more than the first.
template <typename OfStage>
MemoryEstimate fullest(int stages, OfStage &&ofStage)
{
    MemoryEstimate first = ofStage(0);
    if (stages == 1)
        return first;
    MemoryEstimate last = ofStage(stages - 1);
    return last.totalBytes() > first.totalBytes() ? last : first;
}

void addLayoutNotes(MemoryEstimate &estimate, const Model &model, const MemorySettings &settings)
{
    if (settings.pp > 1)
        estimate.notes.push_back({TextId::MemoryStageNote,
                                  {std::to_string(estimate.stage), std::to_string(settings.pp),
                                   std::to_string(estimate.layers), std::to_string(model.layers)}});
    if (settings.pp > 1 && model.tiedEmbeddings)
        estimate.notes.push_back({TextId::MemoryTiedNote, {}});
    if (settings.tp > model.kvHeads)
        estimate.notes.push_back({TextId::MemoryKvNote,
                                  {std::to_string(model.kvHeads), std::to_string(settings.tp),
                                   std::to_string(settings.tp / model.kvHeads)}});
}

} // namespace

std::string_view name(WeightFormat format)
{
    constexpr std::array<std::string_view, 3> kNames{"bf16", "fp8", "int8"};
    return kNames[static_cast<std::size_t>(format)];
}

std::string_view name(MemoryKind kind)
{
    constexpr std::array<std::string_view, 5> kNames{"weights", "gradients", "optimizer", "activations", "kv_cache"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(MemoryPart part)
{
    constexpr std::array<std::string_view, 3> kNames{"layers", "embedding_and_head", "replicated"};
    return kNames[static_cast<std::size_t>(part)];
}

std::optional<ParameterBytes> parameterBytes(int bytesPerParameter)
{
    switch (bytesPerParameter) {
    case 18:
        return ParameterBytes{2, 4, 12};
    case 16:
        return ParameterBytes{2, 2, 12};
    case 12:
        return ParameterBytes{2, 2, 8};
    default:
        return std::nullopt;
    }
}

std::int64_t MemoryEstimate::bytes(MemoryKind kind) const
{
    std::int64_t sum = 0;
    for (const MemoryTerm &term : terms)
        sum += term.kind == kind ? term.bytes : 0;
    return sum;
}

std::int64_t MemoryEstimate::totalBytes() const
{
    std::int64_t sum = 0;
    for (const MemoryTerm &term : terms)
        sum += term.bytes;
    return sum;
}

std::int64_t MemoryEstimate::stateBytes() const
{
    return bytes(MemoryKind::Weights) + bytes(MemoryKind::Gradients) + bytes(MemoryKind::Optimizer);
}

std::int64_t MemoryEstimate::stateDividedByTpBytes() const
{
    std::int64_t sum = 0;
    for (const MemoryTerm &term : terms) {
        const bool state = term.kind != MemoryKind::Activations && term.kind != MemoryKind::KvCache;
        sum += state ? term.dividedByTpBytes : 0;
    }
    return sum;
}

std::int64_t kvBytesPerToken(const Model &model, int tp)
{
    constexpr std::int64_t kBytes = 2;
    return 2 * model.layers * std::max<std::int64_t>(1, model.kvHeads / tp) * model.headSize() * kBytes;
}

std::optional<Text> problemOf(const Model &model, const MemorySettings &settings)
{
    if (auto problem = tensorParallelProblem(model, settings.tp))
        return problem;
    if (settings.pp > model.layers)
        return Text{TextId::PpLayers, {std::to_string(settings.pp), std::to_string(model.layers)}};
    if (settings.batch * settings.sequence > kMostMemoryTokens) {
        const std::int64_t unit = settings.sequenceParallel ? settings.tp : 1;
        return Text{TextId::MemoryTokens,
                    {std::to_string(settings.batch), std::to_string(settings.sequence),
                     "--batch " + std::to_string(kMostMemoryTokens / settings.sequence) + ", or --sequence " +
                         std::to_string(kMostMemoryTokens / settings.batch / unit * unit)}};
    }
    if (settings.zero > 0 && settings.dp == 1)
        return Text{TextId::ZeroAlone, {std::to_string(settings.zero)}};
    if (settings.sequenceParallel && settings.tp == 1)
        return Text{TextId::SequenceParallelAlone, {}};
    if (settings.sequenceParallel && settings.sequence % settings.tp != 0) {
        const std::int64_t below = settings.sequence / settings.tp * settings.tp;
        const std::string allowed =
            (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + settings.tp);
        return Text{TextId::SequenceParallelTokens,
                    {std::to_string(settings.sequence), std::to_string(settings.tp), allowed}};
    }
    if (settings.microBatches && settings.pp == 1)
        return Text{TextId::MicroBatchesAlone, {std::to_string(*settings.microBatches)}};
    return std::nullopt;
}

MemoryEstimate trainingMemory(const Model &model, const MemorySettings &settings)
{
    MemoryEstimate estimate = fullest(settings.pp, [&](int stage) { return trainingStage(model, settings, stage); });
    addLayoutNotes(estimate, model, settings);
    if (settings.zero == 3) {
        estimate.notes.push_back(
            {TextId::MemoryZero3Note, {std::to_string(settings.dp), formatGibibytes(gatheredBytes(model, settings))}});
    } else if (settings.zero > 0) {
        estimate.notes.push_back(
            {settings.zero == 1 ? TextId::MemoryZero1Note : TextId::MemoryZero2Note, {std::to_string(settings.dp)}});
    }
    if (model.mlp == MlpKind::Swiglu && settings.recompute == Recompute::Selective)
        estimate.notes.push_back({TextId::MemorySelectiveNote, {}});
    const bool recomputes = settings.recompute != Recompute::None;
    estimate.notes.push_back({recomputes ? TextId::MemoryRecomputeLeavesOut : TextId::MemoryTrainingLeavesOut, {}});
    return estimate;
}

MemoryEstimate inferenceMemory(const Model &model, const MemorySettings &settings)
{
    MemoryEstimate estimate = fullest(settings.pp, [&](int stage) { return inferenceStage(model, settings, stage); });
    addLayoutNotes(estimate, model, settings);
    estimate.notes.push_back({TextId::MemoryInferenceLeavesOut, {}});
    return estimate;
}

} // namespace shardscope
