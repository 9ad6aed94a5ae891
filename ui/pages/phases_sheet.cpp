// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/phases_sheet.h"

#include "ui/pages/fitted_sheet.h"
#include "ui/pages/page_heading.h"
#include "ui/pages/phases_parts.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr QSizeF kLeast(960, 600); ///< design pixels
constexpr PhasesHeights kLargest{44, 42};

/// Everything at one unit, with rows of these heights; the height that it takes is returned.
double layOut(SheetWriter &writer, const PhasesValues &values, const QRectF &area, const PhasesHeights &heights)
{
    double y = pageHeading(writer, area, values.finding, phasesSetting(values)) + writer.px(8);
    if (values.rows.empty())
        return y - area.top();
    y = layPhasesTable(writer, values, area, y, heights.tableRow) + writer.px(12);
    y = layPhasesCharts(writer, values, area, y, heights.barRow) + writer.px(12);
    return layPhasesReasons(writer, values, area, y) - area.top();
}

/// What is left over goes to the rows of table and charts.
PhasesHeights grown(double rest, std::size_t rows)
{
    PhasesHeights heights;
    const double each = rest / static_cast<double>(std::max<std::size_t>(rows, 1));
    const double bars = std::min(each * 0.6, kLargest.barRow - heights.barRow);
    heights.barRow += bars;
    heights.tableRow += std::min(each - bars, kLargest.tableRow - heights.tableRow);
    return heights;
}

} // namespace

Sheet phasesSheet(const PhasesValues &values, const QRectF &area, const Theme &theme, double unit)
{
    return fittedSheet(theme, area, kLeast, unit, [&](SheetWriter &writer, double rest) {
        return layOut(writer, values, area, grown(rest, values.rows.size()));
    });
}

PagePicture phasesPicture(const PhasesValues &values)
{
    return pictureOf(values, phasesSheet, values.finding, phasesProvenance(values), kLeast);
}

} // namespace shardscope
