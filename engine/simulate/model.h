// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"
#include "engine/plan/experiment.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

enum class NormKind { LayerNorm, RmsNorm };

/// The shape of a decoder-only language model. Presets are data files under resources/models, compiled in.
/// Symbols: L layers, h hidden, f ffn, a heads, k kvHeads, d = h/a, V vocabulary, s sequence, P parameters.
struct Model {
    std::string name;  ///< "llama3-70b"
    std::string title; ///< "Llama 3 70B"
    int layers = 0;
    std::int64_t hidden = 0;
    std::int64_t ffn = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t vocabulary = 0;
    std::int64_t sequence = 0; ///< tokens it is trained on
    MlpKind mlp = MlpKind::Gelu;
    NormKind norm = NormKind::LayerNorm;
    bool biases = false;
    bool tiedEmbeddings = false;   ///< the output layer is the embedding
    bool learnedPositions = false; ///< a table of s x h
    std::vector<std::string> sources;

    /// d = h/a.
    [[nodiscard]] std::int64_t headSize() const { return hidden / heads; }

    bool operator==(const Model &) const = default;
};

/// Parameters by what tensor parallelism makes of them. All counts are exact and of the whole model.
struct ParameterCounts {
    std::int64_t layerSharded = 0;    ///< of one layer: matrices and biases of column layers, cut by tp
    std::int64_t layerKeyValue = 0;   ///< of these, the key and value projections: cut down to one head, no further
    std::int64_t layerReplicated = 0; ///< of one layer: norms and biases of row layers, on every rank of tp
    std::int64_t embedding = 0;       ///< V x h, cut by rows of the vocabulary
    std::int64_t head = 0;            ///< h x V; 0 when tied to the embedding
    std::int64_t positions = 0;       ///< learned, replicated
    std::int64_t finalNorm = 0;       ///< replicated
    std::int64_t total = 0;           ///< P
};
[[nodiscard]] ParameterCounts parametersOf(const Model &model);

/// The presets of this version, smallest first.
[[nodiscard]] const std::vector<Model> &modelPresets();
/// nullptr when no preset is called so.
[[nodiscard]] const Model *findModel(std::string_view name);
/// Reads a preset file; the problem names the key.
[[nodiscard]] Expected<Model> parseModel(std::string_view json);

/// Why the heads, KV heads or the MLP of the model cannot be cut in `tp` equal parts, with the nearest number that is
/// allowed; nothing when they can.
[[nodiscard]] std::optional<Text> tensorParallelProblem(const Model &model, std::int64_t tp);
/// Every tp that the model allows, smallest first: 1 up to a.
[[nodiscard]] std::vector<int> tensorParallelSizes(const Model &model);

} // namespace shardscope
