// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/memory_sheet.h"

#include "ui/pages/fitted_sheet.h"
#include "ui/pages/memory_parts.h"
#include "ui/pages/page_heading.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr QSizeF kLeast(860, 610); ///< design pixels

/// Everything at one unit, with parts of these heights; the height that it takes is returned.
double layOut(SheetWriter &writer, const MemoryValues &values, const MemoryTable &table, const QRectF &area,
              const MemoryHeights &heights)
{
    double y = pageHeading(writer, area, memoryFinding(values), memorySetting(values)) + writer.px(6);
    y = layMemoryBars(writer, values, area, y, heights.bar);
    y = layMemoryTable(writer, table, area, y + writer.px(8), heights.row);
    return y - area.top();
}

/// What is left over goes to the two bars, then to the rows of the table.
MemoryHeights grown(double rest, std::size_t rows)
{
    MemoryHeights heights;
    const double bars = std::clamp(rest / 2, 0.0, kLargest.bar - heights.bar);
    heights.bar += bars;
    heights.row += std::clamp((rest - 2 * bars) / static_cast<double>(rows), 0.0, kLargest.row - heights.row);
    return heights;
}

} // namespace

QColor memoryColour(MemoryKind kind, const Theme &theme)
{
    // Apart for every kind of colour vision; no bar here is a GPU.
    switch (kind) {
    case MemoryKind::Weights:
        return theme.ranks[0];
    case MemoryKind::Gradients:
        return theme.ranks[2];
    case MemoryKind::Optimizer:
        return theme.backwardCompute;
    case MemoryKind::Activations:
        return theme.ranks[1];
    case MemoryKind::KvCache:
        break;
    }
    return theme.ranks[7];
}

Sheet memorySheet(const MemoryValues &values, const QRectF &area, const Theme &theme, double unit)
{
    const MemoryTable table = memoryTable(values);
    return fittedSheet(theme, area, kLeast, unit, [&](SheetWriter &writer, double rest) {
        return layOut(writer, values, table, area, grown(rest, table.rows.size()));
    });
}

PagePicture memoryPicture(const MemoryValues &values)
{
    return pictureOf(values, memorySheet, memoryFinding(values), memoryProvenance(values), kLeast);
}

} // namespace shardscope
