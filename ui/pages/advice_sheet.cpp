// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/advice_sheet.h"

#include "ui/pages/advice_parts.h"
#include "ui/pages/page_heading.h"

namespace shardscope {

namespace {

constexpr QSizeF kLeast(900, 640); ///< design pixels
constexpr double kSmallestUnit = 0.3;
constexpr double kShrink = 0.97;

/// Everything at one unit; the height that it takes is returned.
double layOut(SheetWriter &writer, const AdviceValues &values, const QRectF &area)
{
    double y = pageHeading(writer, area, adviceFinding(values), {});
    const SheetWriter::Letters small{12, 400, writer.theme().text2};
    const QString setting = adviceSetting(values);
    const double height = writer.heightOf(setting, small, area.width()) + 1;
    y += writer.paragraph({area.left(), y, area.width(), height}, setting, small) + writer.px(8);
    y = layAdviceRows(writer, values, area, y);
    y = layAdviceReasons(writer, values, area, y + writer.px(10));
    return y - area.top();
}

} // namespace

Sheet adviceSheet(const AdviceValues &values, const QRectF &area, const Theme &theme, double unit)
{
    double fitting = fittingUnit(area, {kLeast.width(), 1}, unit);
    for (;; fitting *= kShrink) {
        SheetWriter writer(theme, fitting);
        const double height = layOut(writer, values, area);
        if (height <= area.height() || fitting <= kSmallestUnit)
            return std::move(writer.sheet());
    }
}

void paintAdvice(QPainter &painter, const AdviceValues &values, const Theme &theme, const QRectF &area, double unit)
{
    paintSheet(painter, adviceSheet(values, area, theme, unit));
}

PagePicture advicePicture(const AdviceValues &values)
{
    return sheetPicture([values](const QRectF &area, const Theme &theme,
                                 double unit) { return adviceSheet(values, area, theme, unit); },
                        adviceFinding(values), adviceProvenance(values), kLeast);
}

} // namespace shardscope
