// SPDX-License-Identifier: MIT
#include "engine/cli/model_document.h"

namespace shardscope::cli {
namespace {

Json texts(const std::vector<Text> &all)
{
    Json list = Json::array();
    for (const Text &one : all)
        list.push_back(english(one));
    return list;
}

Json estimateDocument(const MemoryEstimate &estimate)
{
    Json terms = Json::array();
    for (const MemoryTerm &term : estimate.terms) {
        terms.push_back({{"kind", name(term.kind)},
                         {"part", name(term.part)},
                         {"name", english(term.name)},
                         {"parameters", term.parameters > 0 ? Json(term.parameters) : Json(nullptr)},
                         {"bytes", term.bytes},
                         {"divided_by_tp_bytes", term.dividedByTpBytes},
                         {"formula", term.formula},
                         {"source", english(term.source)}});
    }
    return {{"stage", estimate.stage},
            {"layers", estimate.layers},
            {"terms", terms},
            {"weights_bytes", estimate.bytes(MemoryKind::Weights)},
            {"gradients_bytes", estimate.bytes(MemoryKind::Gradients)},
            {"optimizer_bytes", estimate.bytes(MemoryKind::Optimizer)},
            {"state_bytes", estimate.stateBytes()},
            {"state_divided_by_tp_bytes", estimate.stateDividedByTpBytes()},
            {"activations_bytes", estimate.bytes(MemoryKind::Activations)},
            {"kv_cache_bytes", estimate.bytes(MemoryKind::KvCache)},
            {"total_bytes", estimate.totalBytes()},
            {"notes", texts(estimate.notes)}};
}

Json lineDocument(const AdviceLine &line)
{
    return {{"finding", english(line.finding)}, {"rule", english(line.rule)}, {"source", english(line.source)}};
}

Json lineDocuments(const std::vector<AdviceLine> &lines)
{
    Json list = Json::array();
    for (const AdviceLine &line : lines)
        list.push_back(lineDocument(line));
    return list;
}

Json secondsJson(double seconds)
{
    return microseconds(seconds * 1e9);
}

Json stepDocument(const std::optional<StepTime> &step)
{
    if (!step)
        return nullptr;
    return {{"total_us", secondsJson(step->total())},
            {"arithmetic_us", secondsJson(step->arithmetic)},
            {"recompute_us", secondsJson(step->recompute)},
            {"tensor_parallel_us", secondsJson(step->tensorParallel)},
            {"pipeline_us", secondsJson(step->pipeline)},
            {"bubble_us", secondsJson(step->bubble)},
            {"data_parallel_us", secondsJson(step->dataParallel)}};
}

/// Undefined where there is no tensor parallelism.
Json margin(double linkMargin)
{
    return linkMargin > 0 ? number(linkMargin) : Json(nullptr);
}

/// Undefined for layouts that cannot be.
Json sizeJson(std::int64_t bytes)
{
    return bytes > 0 ? Json(bytes) : Json(nullptr);
}

Json layoutDocument(const TrainingLayout &layout)
{
    const MemorySettings &s = layout.settings;
    return {{"tp", s.tp},
            {"pp", s.pp},
            {"dp", s.dp},
            {"zero", s.zero},
            {"sequence_parallel", s.sequenceParallel},
            {"recompute", name(s.recompute)},
            {"micro_batches", layout.microBatches},
            {"verdict", name(layout.verdict)},
            {"fits", layout.fits},
            {"communication_bound", layout.communicationBound},
            {"link_margin", margin(layout.linkMargin)},
            {"memory_bytes", sizeJson(layout.memoryBytes)},
            {"state_bytes", sizeJson(layout.stateBytes)},
            {"activations_bytes", sizeJson(layout.activationBytes)},
            {"step", stepDocument(layout.step)},
            {"best_of_tp", layout.bestOfTp},
            {"lines", lineDocuments(layout.lines)}};
}

Json layoutDocument(const ServingLayout &layout)
{
    const MemorySettings &s = layout.settings;
    const bool predicted = layout.tokenSeconds > 0;
    return {{"tp", s.tp},
            {"pp", s.pp},
            {"replicas", s.dp},
            {"verdict", name(layout.verdict)},
            {"fits", layout.fits},
            {"communication_bound", layout.communicationBound},
            {"link_margin", margin(layout.linkMargin)},
            {"memory_bytes", sizeJson(layout.memoryBytes)},
            {"weights_bytes", sizeJson(layout.weightBytes)},
            {"kv_cache_bytes", sizeJson(layout.cacheBytes)},
            {"token_us", predicted ? secondsJson(layout.tokenSeconds) : Json(nullptr)},
            {"communication_us", predicted ? secondsJson(layout.communicationSeconds) : Json(nullptr)},
            {"tokens_per_second_per_gpu", predicted ? number(layout.tokensPerSecondPerGpu) : Json(nullptr)},
            {"lines", lineDocuments(layout.lines)}};
}

template <typename Layout>
Json layoutDocuments(const std::vector<Layout> &layouts)
{
    Json list = Json::array();
    for (const Layout &layout : layouts)
        list.push_back(layoutDocument(layout));
    return list;
}

template <typename Layout>
Json recommended(const Layout *layout)
{
    return layout != nullptr ? layoutDocument(*layout) : Json(nullptr);
}

} // namespace

Json modelDocument(const Model &model)
{
    return {{"name", model.name},
            {"title", model.title},
            {"parameters", parametersOf(model).total},
            {"layers", model.layers},
            {"hidden", model.hidden},
            {"ffn", model.ffn},
            {"heads", model.heads},
            {"kv_heads", model.kvHeads},
            {"vocabulary", model.vocabulary},
            {"sequence", model.sequence},
            {"mlp", name(model.mlp)},
            {"norm", model.norm == NormKind::RmsNorm ? "rmsnorm" : "layernorm"},
            {"biases", model.biases},
            {"tied_embeddings", model.tiedEmbeddings},
            {"learned_positions", model.learnedPositions},
            {"sources", model.sources}};
}

Json settingsDocument(const MemorySettings &s)
{
    return {{"tp", s.tp},
            {"pp", s.pp},
            {"dp", s.dp},
            {"zero", s.zero},
            {"sequence_parallel", s.sequenceParallel},
            {"recompute", name(s.recompute)},
            {"bytes_per_parameter", s.bytesPerParameter},
            {"batch", s.batch},
            {"sequence", s.sequence},
            {"micro_batches", s.microBatches.value_or(s.pp)},
            {"weights", name(s.weights)}};
}

Json memoryDocument(const Model &model, const MemorySettings &settings)
{
    return {{"schema", 1},
            {"source", "predicted"},
            {"model", modelDocument(model)},
            {"settings", settingsDocument(settings)},
            {"gpus", settings.gpus()},
            {"training", estimateDocument(trainingMemory(model, settings))},
            {"inference", estimateDocument(inferenceMemory(model, settings))}};
}

Json adviceDocument(const Advice &advice)
{
    const AdviceQuestion &q = advice.question;
    const Json target = q.tokenSeconds ? number(*q.tokenSeconds * 1e3) : Json(nullptr);
    return {{"schema", 1},
            {"source", "predicted"},
            {"model", modelDocument(q.model)},
            {"gpus", q.gpus},
            {"hardware", q.hardware.name},
            {"latency_ms", target},
            {"usable_bytes", advice.usableBytes},
            {"training",
             {{"assumptions", english(advice.trainingAssumptions)},
              {"global_batch", q.stepSequences},
              {"sequence", q.sequence},
              {"bytes_per_parameter", q.bytesPerParameter},
              {"link_limit", number(advice.trainingLinkLimit)},
              {"recommended", recommended(advice.recommendedTraining())},
              {"layouts", layoutDocuments(advice.training)},
              {"lines", lineDocuments(advice.trainingLines)}}},
            {"inference",
             {{"assumptions", english(advice.servingAssumptions)},
              {"batch", q.serveSequences},
              {"sequence", q.sequence},
              {"link_limit", number(advice.decodeLinkLimit)},
              {"recommended", recommended(advice.recommendedServing())},
              {"layouts", layoutDocuments(advice.serving)},
              {"lines", lineDocuments(advice.servingLines)}}}};
}

} // namespace shardscope::cli
