// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/memory_sheet.h"

namespace shardscope {

// Parts of the memory page's layout; each returns the place below itself.

/// Heights in design pixels: at least, and what they grow to where there is room.
struct MemoryHeights {
    double bar = 40;
    double row = 20;
};
inline constexpr MemoryHeights kLargest{84, 29};

/// Legend, bars of a height in design pixels, the card's line and the axis, from `top` down.
double layMemoryBars(SheetWriter &writer, const MemoryValues &values, const QRectF &area, double top, double bar);
/// Terms, formulas, sources and notes.
double layMemoryTable(SheetWriter &writer, const MemoryTable &table, const QRectF &area, double top, double row);
/// A patch of the term's colour and hatch.
void memorySwatch(SheetWriter &writer, const QRectF &rect, std::optional<MemoryKind> kind, MemoryPart part);

} // namespace shardscope
