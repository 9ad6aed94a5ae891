// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/advice_sheet.h"

#include "ui/pages/advice_parts.h"
#include "ui/pages/fitted_sheet.h"
#include "ui/pages/page_heading.h"

namespace shardscope {

namespace {

constexpr QSizeF kLeast(900, 640); ///< design pixels

/// Everything at one unit; the height that it takes is returned.
double layOut(SheetWriter &writer, const AdviceValues &values, const QRectF &area)
{
    double y = pageHeading(writer, area, adviceFinding(values), adviceSetting(values)) + writer.px(6);
    y = layAdviceRows(writer, values, area, y);
    y = layAdviceReasons(writer, values, area, y + writer.px(10));
    return y - area.top();
}

} // namespace

Sheet adviceSheet(const AdviceValues &values, const QRectF &area, const Theme &theme, double unit)
{
    return fittedSheet(theme, area, kLeast, unit,
                       [&](SheetWriter &writer, double) { return layOut(writer, values, area); });
}

PagePicture advicePicture(const AdviceValues &values)
{
    return pictureOf(values, adviceSheet, adviceFinding(values), adviceProvenance(values), kLeast);
}

} // namespace shardscope
