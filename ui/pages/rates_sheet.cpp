// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/rates_sheet.h"

#include "ui/pages/fitted_sheet.h"
#include "ui/pages/page_heading.h"
#include "ui/pages/points_provenance.h"
#include "ui/pages/rates_parts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr QSizeF kLeast(1040, 600); ///< design pixels
constexpr double kRow = 23;
constexpr double kHighestRow = 44;
constexpr double kBars = 0.6; ///< of the width; the rest is the roofline
constexpr double kGap = 26;
constexpr double kLowestRoof = 250;
constexpr double kSteepestRoof = 1.1; ///< times its width

/// What is solid and what hollow.
QString originsOf(const RatesValues &values)
{
    if (values.predicted())
        return tr("Hollow: %1.").arg(pointSource(*values.run));
    QString words = tr("Filled: %1.").arg(measuredWords(*values.run));
    if (values.predictedBeside)
        words += QLatin1Char(' ') + tr("Hollow, below it: predicted for the same machine.");
    return words;
}

double layNotes(SheetWriter &writer, const RatesValues &values, const QRectF &area, double top)
{
    const SheetWriter::Letters letters{13, 400, {}};
    double y = top;
    const auto paragraph = [&](const QString &lead, const QString &words) {
        const QString all = lead.isEmpty() ? words : lead + QStringLiteral("  ") + words;
        const int bold = static_cast<int>(lead.size());
        const double height = writer.heightOf(all, letters, area.width(), bold) + 1;
        writer.paragraph({area.left(), y, area.width(), height}, all, letters, bold);
        y += height + writer.px(3);
    };
    for (const RatesNote &note : ratesNotes(values))
        paragraph(note.lead, note.words);
    return y;
}

double layOut(SheetWriter &writer, const RatesValues &values, const QRectF &area, double rest)
{
    double y = pageHeading(writer, area, ratesFinding(values), ratesSetting(values)) + writer.px(10);
    if (values.groups.empty())
        return y + layNotes(writer, values, area, y) - area.top();
    std::size_t rows = 0;
    for (const RateGroup &group : values.groups)
        rows += group.bars.size();
    const bool roof = values.peaks && !values.dots.empty();
    const double gap = writer.px(kGap);
    const double width = roof ? area.width() * kBars - gap / 2 : area.width();
    const double row = std::min(kHighestRow, kRow + rest / static_cast<double>(rows));
    const double below = layRateBars(writer, values, {area.left(), y, width, area.bottom() - y}, row);
    const SheetWriter::Letters small{12, 400, writer.theme().text2};
    writer.text({area.left(), below + writer.px(4), width, writer.px(17)}, originsOf(values), small);
    // The words stand below the bars, so that the roof has the height of both.
    const double left = layNotes(writer, values, {area.left(), y, width, area.bottom() - y}, below + writer.px(29));
    if (!roof)
        return left - area.top();
    const double across = area.width() - width - gap;
    const double least = writer.px(kLowestRoof);
    const double high =
        rest > 0 ? std::clamp(area.bottom() - y, least, std::max(least, kSteepestRoof * across)) : least;
    layRoof(writer, values, {area.left() + width + gap, y, across, std::max(high, std::min(left - y, across))});
    return std::max(left, y + least) - area.top();
}

} // namespace

Sheet ratesSheet(const RatesValues &values, const QRectF &area, const Theme &theme, double unit)
{
    return fittedSheet(theme, area, kLeast, unit,
                       [&](SheetWriter &writer, double rest) { return layOut(writer, values, area, rest); });
}

PagePicture ratesPicture(const RatesValues &values)
{
    return pictureOf(values, ratesSheet, ratesFinding(values), ratesProvenance(values), kLeast);
}

} // namespace shardscope
