// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/traffic_sheet.h"

namespace shardscope {

// Parts of the traffic page's layout; the first two return the place below themselves.

/// The matrix with its sums and its colour scale, as large as `room` allows.
double layTrafficGrid(SheetWriter &writer, const TrafficValues &values, const QRectF &room);
/// What travels, line by line; lines that find no place are summed up in one.
double layTrafficLines(SheetWriter &writer, const TrafficValues &values, const QRectF &room);
/// The ranks on a circle with an arrow for each pair that talks; nothing where there is no room for it.
void layTrafficGraph(SheetWriter &writer, const TrafficValues &values, const QRectF &room);

} // namespace shardscope
