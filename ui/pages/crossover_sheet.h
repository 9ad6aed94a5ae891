// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/crossover_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// Bytes over tokens with the crossings, step times over tokens, and what each scheme moves. The unit shrinks until
/// everything has its place.
[[nodiscard]] Sheet crossoverSheet(const CrossoverValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture crossoverPicture(const CrossoverValues &values);

} // namespace shardscope
