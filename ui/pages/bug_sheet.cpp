// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/bug_sheet.h"

#include "ui/pages/bug_parts.h"
#include "ui/pages/fitted_sheet.h"
#include "ui/pages/page_heading.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr QSizeF kLeast(980, 620); ///< design pixels
constexpr double kListShare = 0.41;
constexpr double kGap = 26;

/// Everything at one unit; the height that it takes is returned.
double layOut(SheetWriter &writer, const BugLabValues &values, const QRectF &area)
{
    const double top = pageHeading(writer, area, bugFinding(values), bugSetting(values)) + writer.px(8);
    const double gap = writer.px(kGap);
    const QRectF list(area.left(), top, area.width() * kListShare - gap / 2, area.bottom() - top);
    QRectF details(list.right() + gap, top, area.right() - list.right() - gap, area.bottom() - top);
    const double listEnd = layBugList(writer, values, list);
    const BugCase &shown = values.shown();
    details.setTop(layBugPlans(writer, shown, details) + writer.px(10));
    details.setTop(layBugMistakes(writer, shown, details) + writer.px(8));
    return std::max(listEnd, layBugErrors(writer, shown, details)) - area.top();
}

} // namespace

Sheet bugSheet(const BugLabValues &values, const QRectF &area, const Theme &theme, double unit)
{
    return fittedSheet(theme, area, kLeast, unit,
                       [&](SheetWriter &writer, double) { return layOut(writer, values, area); });
}

PagePicture bugPicture(const BugLabValues &values)
{
    return pictureOf(values, bugSheet, bugFinding(values), bugProvenance(values), kLeast);
}

} // namespace shardscope
