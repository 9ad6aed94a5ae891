// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/memory_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// What a term's colour is, the same in bars, legend and table.
[[nodiscard]] QColor memoryColour(MemoryKind kind, const Theme &theme);

/// A stacked bar for training and one for inference against the card's memory, on one axis, and the table of their
/// terms with formulas and sources. The unit shrinks until everything has its place.
[[nodiscard]] Sheet memorySheet(const MemoryValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture memoryPicture(const MemoryValues &values);

} // namespace shardscope
