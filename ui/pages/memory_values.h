// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/simulate/model_options.h"

#include <QString>
#include <array>
#include <vector>

namespace shardscope {

/// What the memory page shows: one GPU of a layout, in training and in inference, against a card.
struct MemoryValues {
    Model model;
    MemorySettings settings;
    Hardware hardware; ///< whose devices' memory is the limit
    MemoryEstimate training;
    MemoryEstimate inference;
};
/// Only for settings without a problem.
[[nodiscard]] MemoryValues memoryValues(const Model &model, const MemorySettings &settings, const Hardware &hardware);
/// Those of `shardscope-engine memory`, and --hardware.
[[nodiscard]] std::vector<ModelOption> memoryPageOptions();
/// By these.
[[nodiscard]] Expected<MemoryValues> readMemoryValues(const OptionValues &given);

/// Whether a card holds that much, by the limit of the advice: `Tight` is less than the card but more than
/// kUsableMemoryShare of it, too little for what the formulas leave out.
enum class Fit { Fits, Tight, TooLarge };
[[nodiscard]] Fit fitOf(std::int64_t bytes, const Hardware &hardware);
/// "fits, 56 % of the card", "too tight, 95 % of the card", "does not fit, 5.6× the card".
[[nodiscard]] QString fitWords(std::int64_t bytes, const Hardware &hardware);
/// "H100 SXM 80 GB", of a preset's title.
[[nodiscard]] QString cardName(const Hardware &hardware);
/// "TP 8 × PP 2"; axes of one are left out, "one GPU" when all are.
[[nodiscard]] QString layoutWords(const MemorySettings &settings);
/// "366.4 GiB".
[[nodiscard]] QString gibibytes(std::int64_t bytes);
/// "optimizer", "KV cache".
[[nodiscard]] QString kindTitle(MemoryKind kind);

/// The finding, for the title.
[[nodiscard]] QString memoryFinding(const MemoryValues &values);
/// Model, load and options that the numbers hold for.
[[nodiscard]] QString memorySetting(const MemoryValues &values);
/// What the popular rule would say of the states, beside what is right; empty where it is the same.
[[nodiscard]] QString dividedWords(const MemoryEstimate &estimate, const MemorySettings &settings);
/// For the footer of a picture.
[[nodiscard]] QString memoryProvenance(const MemoryValues &values);

/// One line of the table under the bars.
struct MemoryRow {
    enum class Kind { Part, States, DividedByTp, Load, Total } kind = Kind::Part;
    QString name;
    std::optional<MemoryKind> load; ///< of activations and KV cache
    MemoryPart part = MemoryPart::Layers;
    QString parameters;            ///< on this GPU
    std::array<QString, 3> states; ///< training: weights, gradients, optimizer
    QString training;
    QString inference;
    QString formula;
    int source = 0; ///< number in `sources`, from 1; 0: none
};

struct MemoryTable {
    std::array<QString, 3> stateTitles; ///< "optimizer 12 B/8"
    std::vector<MemoryRow> rows;
    std::vector<QString> sources;
    std::vector<QString> notes;
};
[[nodiscard]] MemoryTable memoryTable(const MemoryValues &values);

} // namespace shardscope
