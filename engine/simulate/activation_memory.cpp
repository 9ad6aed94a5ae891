// SPDX-License-Identifier: MIT
#include "engine/simulate/activation_memory.h"

#include "engine/record/format.h"

#include <algorithm>

namespace shardscope {
namespace {

/// GELU models are Korthikanti's: LayerNorm, dropout, scores kept. SwiGLU models have neither dropout nor kept scores.
bool isGptForm(const Model &model)
{
    return model.mlp == MlpKind::Gelu;
}

/// What one token leaves behind in one layer, bytes: between the parallel layers, inside them, and the scores of core
/// attention.
struct PerToken {
    std::int64_t between = 0; ///< norms, dropouts, inputs of the column layers: cut by sequence parallelism only
    std::int64_t inside = 0;  ///< cut by tp
    std::int64_t scores = 0;  ///< 5·a·s, cut by tp
};

PerToken perToken(const Model &model, const MemorySettings &settings)
{
    const std::int64_t h = model.hidden;
    const std::int64_t t = settings.tp;
    const std::int64_t keyValue = std::max<std::int64_t>(1, model.kvHeads / t) * model.headSize();
    PerToken bytes;
    // 16 bits each. GPT form: two norm inputs 4, two column inputs 4, two dropout masks 2; Q and the row input of
    // attention 4, K and V 4kd, the MLP's two arrays 2f each. Llama form: no dropout, gate, up, silu and product 2f
    // each.
    bytes.between = (isGptForm(model) ? 10 : 8) * h;
    bytes.inside = 4 * h / t + 4 * keyValue + (isGptForm(model) ? 4 : 8) * model.ffn / t;
    if (isGptForm(model) && settings.recompute == Recompute::None)
        bytes.scores = 5 * model.heads / t * settings.sequence;
    if (settings.sequenceParallel)
        bytes.between /= t;
    return bytes;
}

/// The recognizable form: "10 + 24/t + 5as/(ht)".
std::string symbols(const Model &model, const MemorySettings &settings)
{
    const bool cut = settings.sequenceParallel;
    if (settings.recompute == Recompute::Full)
        return cut ? "s·b·2h/t" : "s·b·2h";
    if (!isGptForm(model) && settings.tp > model.kvHeads) // a rank holds one KV head, however many ranks there are
        return cut ? "s·b·((12h + 8f)/t + 4d)" : "s·b·(8h + (4h + 8f)/t + 4d)";
    if (!isGptForm(model))
        return cut ? "s·b·(12h + 4kd + 8f)/t" : "s·b·(8h + (4h + 4kd + 8f)/t)";
    const std::string scores = settings.recompute == Recompute::None ? " + 5as/(ht)" : "";
    const double inside = 4.0 + 4.0 * static_cast<double>(model.kvHeads) / static_cast<double>(model.heads) +
                          4.0 * static_cast<double>(model.ffn) / static_cast<double>(model.hidden);
    return "s·b·h·(" + (cut ? formatNumber(10 + inside) + "/t" : "10 + " + formatNumber(inside) + "/t") + scores + ')';
}

Text sourceOf(const Model &model, const MemorySettings &settings)
{
    if (settings.recompute == Recompute::Full && settings.sequenceParallel)
        return {TextId::SourceCheckpointShard, {}};
    if (settings.recompute == Recompute::Full || isGptForm(model))
        return {TextId::SourceKorthikanti, {}};
    return {TextId::SourceLlamaForm, {}};
}

MemoryTerm layersTerm(const Model &model, const MemorySettings &settings, const StagePlace &stage)
{
    const int kept = microBatchesInFlight(settings, stage);
    const std::int64_t perLayer = activationBytesPerLayer(model, settings);
    const std::string numbers = std::to_string(stage.layers) + "·" + formatBinaryBytes(perLayer);
    MemoryTerm term;
    term.kind = MemoryKind::Activations;
    term.bytes = kept * stage.layers * perLayer;
    term.name = kept == 1
                    ? Text{TextId::MemoryActivations, {std::to_string(stage.layers)}}
                    : Text{TextId::MemoryActivationsInFlight, {std::to_string(stage.layers), std::to_string(kept)}};
    term.formula = (kept == 1 ? "" : "min(m, p - i)·") + std::string("L/p·") + symbols(model, settings) + " = " +
                   (kept == 1 ? "" : std::to_string(kept) + "·") + numbers;
    term.source = sourceOf(model, settings);
    return term;
}

/// The mask of the dropout behind the embedding, one byte a value.
MemoryTerm embeddingTerm(const Model &model, const MemorySettings &settings, const StagePlace &stage)
{
    const std::int64_t cut = settings.sequenceParallel ? settings.tp : 1;
    const int kept = microBatchesInFlight(settings, stage);
    const std::string times = kept == 1 ? "" : "min(m, p)·";
    MemoryTerm term;
    term.bytes = kept * settings.sequence * settings.batch * model.hidden / cut;
    term.name = {TextId::MemoryEmbeddingDropout, {}};
    term.formula = times + (cut > 1 ? "s·b·h/t" : "s·b·h");
    return term;
}

/// Inputs of the final norm and of the output layer in 16 bits, logits in fp32.
MemoryTerm headTerm(const Model &model, const MemorySettings &settings)
{
    const std::int64_t cut = settings.sequenceParallel ? settings.tp : 1;
    const std::int64_t rows = (model.vocabulary + settings.tp - 1) / settings.tp;
    MemoryTerm term;
    term.bytes = settings.sequence * settings.batch * (4 * model.hidden / cut + 4 * rows);
    term.name = {TextId::MemoryLogits, {}};
    term.formula = cut > 1 ? "4s·b·h/t·(1 + V/h)" : "4s·b·(h + V/t)";
    return term;
}

} // namespace

StagePlace stageOf(const Model &model, int stages, int index)
{
    const int more = index < model.layers % stages ? 1 : 0;
    return {index, model.layers / stages + more, index == 0, index == stages - 1};
}

int microBatchesInFlight(const MemorySettings &settings, const StagePlace &stage)
{
    return std::min(settings.microBatches.value_or(settings.pp), settings.pp - stage.index);
}

std::int64_t activationBytesPerLayer(const Model &model, const MemorySettings &settings)
{
    const std::int64_t tokens = settings.sequence * settings.batch;
    if (settings.recompute == Recompute::Full)
        return tokens * 2 * model.hidden / (settings.sequenceParallel ? settings.tp : 1);
    const PerToken bytes = perToken(model, settings);
    return tokens * (bytes.between + bytes.inside + bytes.scores);
}

std::vector<MemoryTerm> activationTerms(const Model &model, const MemorySettings &settings, const StagePlace &stage)
{
    std::vector<MemoryTerm> terms;
    if (stage.first && isGptForm(model))
        terms.push_back(embeddingTerm(model, settings, stage));
    if (stage.last)
        terms.push_back(headTerm(model, settings));
    for (MemoryTerm &term : terms) {
        term.part = MemoryPart::EmbeddingAndHead;
        term.source = {TextId::SourceKorthikantiEnds, {}};
    }
    terms.insert(terms.begin(), layersTerm(model, settings, stage));
    for (MemoryTerm &term : terms) {
        term.kind = MemoryKind::Activations;
        term.dividedByTpBytes = term.bytes;
    }
    return terms;
}

} // namespace shardscope
