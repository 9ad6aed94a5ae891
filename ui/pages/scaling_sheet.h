// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/scaling_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// Bytes and latency of an all-reduce over N on one axis of ranks, and the table of both. The unit shrinks until
/// everything has its place.
[[nodiscard]] Sheet scalingSheet(const ScalingValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture scalingPicture(const ScalingValues &values);

} // namespace shardscope
