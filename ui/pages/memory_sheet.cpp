// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/memory_sheet.h"

#include "ui/pages/memory_parts.h"
#include "ui/pages/page_heading.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr QSizeF kLeast(860, 610); ///< design pixels
constexpr double kSmallestUnit = 0.3;
constexpr double kShrink = 0.96;

/// Everything at one unit, with parts of these heights; the height that it takes is returned.
double layOut(SheetWriter &writer, const MemoryValues &values, const MemoryTable &table, const QRectF &area,
              const MemoryHeights &heights)
{
    double y = pageHeading(writer, area, memoryFinding(values), {});
    const SheetWriter::Letters small{12.5, 400, writer.theme().text2};
    const QString setting = memorySetting(values);
    const double height = writer.heightOf(setting, small, area.width()) + 1;
    y += writer.paragraph({area.left(), y, area.width(), height}, setting, small) + writer.px(8);
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
    double fitting = fittingUnit(area, {kLeast.width(), 1}, unit);
    for (;; fitting *= kShrink) {
        SheetWriter writer(theme, fitting);
        const double height = layOut(writer, values, table, area, {});
        if (height > area.height() && fitting > kSmallestUnit)
            continue;
        SheetWriter filled(theme, fitting);
        layOut(filled, values, table, area, grown((area.height() - height) / fitting, table.rows.size()));
        return std::move(filled.sheet());
    }
}

void paintMemory(QPainter &painter, const MemoryValues &values, const Theme &theme, const QRectF &area, double unit)
{
    paintSheet(painter, memorySheet(values, area, theme, unit));
}

PagePicture memoryPicture(const MemoryValues &values)
{
    return sheetPicture([values](const QRectF &area, const Theme &theme,
                                 double unit) { return memorySheet(values, area, theme, unit); },
                        memoryFinding(values), memoryProvenance(values), kLeast);
}

} // namespace shardscope
