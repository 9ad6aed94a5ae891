// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/sheet_writer.h"
#include "ui/pages/traffic_values.h"

namespace shardscope {

/// Up to as many ranks every cell has its number; beyond, colour alone speaks.
inline constexpr int kMostRanksWithNumbers = 16;

/// Fill of a cell: one hue, the stronger the more bytes of the largest; nothing sent has no fill.
[[nodiscard]] QColor trafficColour(std::int64_t bytes, std::int64_t largest, const Theme &theme);

/// The matrix of ranks beside what travels, how it is counted and what the communicators say to it.
[[nodiscard]] Sheet trafficSheet(const TrafficValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture trafficPicture(const TrafficValues &values);

} // namespace shardscope
