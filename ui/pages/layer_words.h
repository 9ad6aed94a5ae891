// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <QString>
#include <cstdint>
#include <string_view>

namespace shardscope {

/// A name of the engine, in the window's letters: "all_reduce", "mlp".
[[nodiscard]] QString word(std::string_view name);
/// "tp".
[[nodiscard]] QString axisWord(MeshAxis axis);
/// "3 MiB", of whole bytes.
[[nodiscard]] QString bytesWords(std::int64_t bytes);

/// "tp 2 × dp 2"; axes of one are left out, "1 rank" when all are.
[[nodiscard]] QString meshWords(const Mesh &mesh);

/// Over what a page draws the layer, and so no part of its name.
enum class LayerShownOver { Nothing, Phases, Ranks };

/// Which layer a page's numbers are of: "mlp, training · tp 4 · h 1024, f 4096 · 4 × 64 tokens · f32, library".
[[nodiscard]] QString layerWords(const Experiment &experiment, LayerShownOver over = LayerShownOver::Nothing);

} // namespace shardscope
