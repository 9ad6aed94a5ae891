// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"
#include "engine/simulate/hardware.h"
#include "ui/results.h"

#include <QString>
#include <vector>

namespace shardscope {

/// Where the numbers of a page of points come from, for the footer of a picture: what was measured or recorded, with
/// machine, libraries, statistic and checks; then which machine the hollow marks are predicted for. Null is passed
/// over.
[[nodiscard]] QString pointsProvenance(const std::vector<const Run *> &runs);

/// "measured 2026-03-02 10:00 on ...", "recorded on ...", "predicted for ...": where one point comes from.
[[nodiscard]] QString pointSource(const Run &run);

/// "measured here on CPU ranks", "recorded elsewhere on CPU ranks": what stands over points that are no predictions.
[[nodiscard]] QString measuredWords(const Run &run);
/// The same of any run, as a heading begins: "Predicted for 8 x H100", "Measured here on CPU ranks".
[[nodiscard]] QString originWords(const Run &run);

/// Whether numbers of both may stand in one ratio: predicted for the same machine, measured on it, or recorded on it.
[[nodiscard]] bool comparable(const Run &a, const Run &b);

/// What carries the points whose bytes a page counts: that of its measurements, or of the machine it predicts for while
/// there are none. Null is passed over. It decides about bytes: Gloo sends sums of bf16 and f16 in f32.
[[nodiscard]] Transport transportOf(const std::vector<RunPtr> &measured, const Hardware &predictedFor);

} // namespace shardscope
