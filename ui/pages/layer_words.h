// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <QString>
#include <cstdint>

namespace shardscope {

/// "tp".
[[nodiscard]] QString axisWord(MeshAxis axis);
/// "3 MiB", of whole bytes.
[[nodiscard]] QString bytesWords(std::int64_t bytes);

/// "tp 2 × dp 2"; axes of one are left out, "1 rank" when all are.
[[nodiscard]] QString meshWords(const Mesh &mesh);

/// Which layer a page's numbers are of: "mlp, training · tp 4 · h 1024, f 4096 · 4 × 64 tokens · f32, library".
/// Without its phase where a page shows several.
[[nodiscard]] QString layerWords(const Experiment &experiment, bool withPhase = true);

} // namespace shardscope
