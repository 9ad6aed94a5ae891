// SPDX-License-Identifier: MIT
#pragma once

#include "engine/simulate/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

// Memory of one GPU as a sum of terms, each with its formula and where that comes from: a pure function of the model's
// shape and the layout, for tables and pictures alike. All sizes in bytes.

/// Weights at inference; norms, embedding and output layer stay in 16 bits, and so does the KV cache.
enum class WeightFormat { Bf16, Fp8, Int8 };
[[nodiscard]] std::string_view name(WeightFormat format);

/// Layout and load. Symbols: t tp, p pp, D dp, b batch, s sequence, m microBatches.
struct MemorySettings {
    int tp = 1;
    int pp = 1;
    int dp = 1;
    int zero = 0; ///< what is cut over dp: 1 optimizer, 2 gradients too, 3 weights too
    bool sequenceParallel = false;
    Recompute recompute = Recompute::None;
    int bytesPerParameter = 18;        ///< 12, 16 or 18: see `parameterBytes`
    std::int64_t batch = 1;            ///< training: sequences of one micro-batch; inference: sequences at once
    std::int64_t sequence = 2048;      ///< training: tokens of each; inference: tokens of each in the KV cache
    std::optional<int> microBatches{}; ///< of one optimizer step; nothing: as many as stages
    WeightFormat weights = WeightFormat::Bf16;

    [[nodiscard]] int gpus() const { return tp * pp * dp; }
};

/// What one parameter costs in training, bytes.
struct ParameterBytes {
    int weight = 2;
    int gradient = 4;
    int optimizer = 12;
};
/// 18: bf16 weight 2, fp32 gradient 4, fp32 copy 4 and Adam 8 (Megatron-LM); 16: bf16 gradient (ZeRO paper); 12: bf16
/// gradient and no fp32 copy (Ultra-Scale Playbook). Nothing for other numbers.
[[nodiscard]] std::optional<ParameterBytes> parameterBytes(int bytesPerParameter);

enum class MemoryKind { Weights, Gradients, Optimizer, Activations, KvCache };
enum class MemoryPart { Layers, EmbeddingAndHead, Replicated };
/// "weights", "kv_cache"; "layers", "embedding_and_head": the words of the JSON document.
[[nodiscard]] std::string_view name(MemoryKind kind);
[[nodiscard]] std::string_view name(MemoryPart part);

struct MemoryTerm {
    MemoryKind kind = MemoryKind::Weights;
    MemoryPart part = MemoryPart::Layers;
    std::int64_t bytes = 0;
    std::int64_t parameters = 0;       ///< on this GPU, before ZeRO cuts; 0 for activations and KV cache
    int bytesEach = 0;                 ///< of these, 2 + 4 + 12 and the like
    int shards = 1;                    ///< ZeRO's D where it cuts this kind
    std::int64_t dividedByTpBytes = 0; ///< what "everything is divided by tp" gives, for comparison
    Text name;
    std::string parameterFormula; ///< "L/p·W/t = 96·1.81e9/8"; empty for activations and KV cache
    std::string formula;          ///< of the bytes: "2·L/p·W/t = 2·96·1.81e9/8", symbols of textbooks
    Text source;
};

/// One GPU of the stage that needs most.
struct MemoryEstimate {
    int stage = 0;  ///< of the pipeline, from 0
    int layers = 0; ///< on that stage
    std::vector<MemoryTerm> terms;
    std::vector<Text> notes; ///< what the numbers stand on and what they leave out

    [[nodiscard]] std::int64_t totalBytes() const;
    [[nodiscard]] std::int64_t bytes(MemoryKind kind) const;
    /// Weights, gradients and optimizer state.
    [[nodiscard]] std::int64_t stateBytes() const;
    /// The same with norms, row biases and positions divided by tp, too, as rules of thumb do.
    [[nodiscard]] std::int64_t stateDividedByTpBytes() const;
};

/// Why this layout of the model is impossible, or an option of it would change nothing: which, why, what is allowed.
[[nodiscard]] std::optional<Text> problemOf(const Model &model, const MemorySettings &settings);

/// Batch times sequence: 5·a·s² and all layers of the largest preset stay inside int64 up to here.
inline constexpr std::int64_t kMostMemoryTokens = std::int64_t{1} << 25;

/// Training with Adam: sharded/t + replicated, ZeRO over D, activations by Korthikanti 2022 table 2 (GELU models) or
/// its form for RMSNorm, SwiGLU, GQA and flash attention. Only for settings without a problem.
[[nodiscard]] MemoryEstimate trainingMemory(const Model &model, const MemorySettings &settings);
/// Weights and KV cache; activations are negligible. dp replicas are alike. Only for settings without a problem.
[[nodiscard]] MemoryEstimate inferenceMemory(const Model &model, const MemorySettings &settings);

/// Bytes of one token in the KV cache of one rank of `tp`, all layers, 16 bits: 2·L·max(1, k/t)·d·2.
[[nodiscard]] std::int64_t kvBytesPerToken(const Model &model, int tp);
/// Bytes of the activations that one layer keeps for one micro-batch on one rank.
[[nodiscard]] std::int64_t activationBytesPerLayer(const Model &model, const MemorySettings &settings);

} // namespace shardscope
