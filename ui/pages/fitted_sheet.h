// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// Lays out a sheet at the largest unit, not above `unit`, at which it is no higher than its area and no wider than
/// `least` design pixels fit in; then once more with what is left over. `layOut(writer, rest)` lays everything out,
/// using `rest` more design pixels of height than it must, and gives the height that it took.
template <typename LayOut>
Sheet fittedSheet(const Theme &theme, const QRectF &area, QSizeF least, double unit, LayOut layOut)
{
    constexpr double kSmallestUnit = 0.3;
    constexpr double kShrink = 0.97;
    for (double fitting = fittingUnit(area, {least.width(), 1}, unit);; fitting *= kShrink) {
        SheetWriter writer(theme, fitting);
        const double height = layOut(writer, 0.0);
        if (height > area.height() && fitting > kSmallestUnit)
            continue;
        SheetWriter filled(theme, fitting);
        layOut(filled, std::max(0.0, area.height() - height) / fitting);
        return std::move(filled.sheet());
    }
}

/// The picture of a page out of its values and the function that lays them out.
template <typename Values>
PagePicture pictureOf(const Values &values, Sheet (*sheet)(const Values &, const QRectF &, const Theme &, double),
                      const QString &finding, const QString &provenance, QSizeF least)
{
    return sheetPicture(
        [=](const QRectF &area, const Theme &theme, double unit) { return sheet(values, area, theme, unit); }, finding,
        provenance, least);
}

} // namespace shardscope
