// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/low_load_sheet.h"

#include "ui/charts/number_format.h"
#include "ui/pages/fitted_sheet.h"
#include "ui/pages/line_chart.h"
#include "ui/pages/page_heading.h"
#include "ui/translation.h"

namespace shardscope {

namespace {

constexpr QSizeF kLeast(960, 600); ///< design pixels
constexpr double kLowestChart = 260;

QString detailsOf(const LowLoadCurve &curve, const LowLoadCurve::Point &point)
{
    const QString median =
        tr("N = %1, batch %2: %3").arg(curve.ranks).arg(point.batch).arg(formatDuration(point.step.median));
    return point.step.samples < 2 ? median
                                  : tr("%1, p10 %2, p90 %3 of %4 steps")
                                        .arg(median, formatDuration(point.step.p10), formatDuration(point.step.p90))
                                        .arg(point.step.samples);
}

LineChart chartOf(const LowLoadSide &side, LineChart::Origin origin, const Theme &theme)
{
    LineChart chart;
    const LowLoadSide::Crossing *widest = side.widest();
    chart.title = side.source;
    chart.xTitle = tr("batch: sequences in one step");
    chart.yTitle = tr("time of a step (log scale)");
    chart.binary = false;
    chart.yText = [](double time) { return formatDuration(time); };
    chart.empty = tr("Nothing is known yet.");
    for (std::size_t i = 0; i < side.curves.size(); ++i) {
        const LowLoadCurve &curve = side.curves[i];
        LineChart::Series series{tr("N = %1").arg(curve.ranks), curveColour(i, theme), curveShape(i), origin, true, {}};
        for (const LowLoadCurve::Point &point : curve.points) {
            const bool varies = point.step.samples > 1;
            if (varies)
                chart.yTitle = tr("time of a step, median, p10 to p90 (log scale)");
            series.points.push_back({static_cast<double>(point.batch), point.step.median, detailsOf(curve, point),
                                     varies ? point.step.p10 : 0, varies ? point.step.p90 : 0});
        }
        chart.series.push_back(std::move(series));
    }
    // Faster from the first batch on is no crossing.
    if (widest && widest->from && *widest->from > side.curves.front().points.front().batch)
        chart.crossings.push_back({static_cast<double>(*widest->from), widest->stepNs,
                                   tr("N = %1 is faster from here on").arg(widest->ranks)});
    return chart;
}

/// Findings and causes of a side's numbers of ranks, one below the other; the height is returned.
double layCauses(SheetWriter &writer, const LowLoadSide &side, const QRectF &column)
{
    const SheetWriter::Letters letters{13, 400, {}};
    double y = column.top();
    if (!side.single.isEmpty()) {
        const QString words = side.single + QLatin1Char('.');
        const double height = writer.heightOf(words, letters, column.width()) + 1;
        writer.paragraph({column.left(), y, column.width(), height}, words, letters);
        y += height + writer.px(4);
    }
    for (const LowLoadSide::Crossing &crossing : side.crossings) {
        const QString lead = tr("N = %1").arg(crossing.ranks);
        QString words = lead + QStringLiteral("  ") + crossing.finding + QLatin1Char('.');
        if (!crossing.cause.isEmpty() && &crossing == side.widest())
            words += QLatin1Char(' ') + tr("Why: %1.").arg(crossing.cause);
        const int bold = static_cast<int>(lead.size());
        const double height = writer.heightOf(words, letters, column.width(), bold) + 1;
        writer.paragraph({column.left(), y, column.width(), height}, words, letters, bold);
        y += height + writer.px(4);
    }
    return y - column.top();
}

double layOut(SheetWriter &writer, const LowLoadValues &values, const QRectF &area, double rest)
{
    double y = pageHeading(writer, area, lowLoadFinding(values), lowLoadSetting(values)) + writer.px(10);
    const double height = writer.px(kLowestChart + rest);
    const double gap = writer.px(26);
    // What is not known leaves its place to what is.
    std::vector<std::pair<const LowLoadSide *, LineChart::Origin>> sides;
    if (!values.measured.curves.empty())
        sides.emplace_back(&values.measured, LineChart::Origin::Measured);
    if (!values.predicted.curves.empty() || sides.empty())
        sides.emplace_back(&values.predicted, LineChart::Origin::Predicted);
    const auto count = static_cast<double>(sides.size());
    const double width = (area.width() - gap * (count - 1)) / count;
    double below = 0;
    double left = area.left();
    for (const auto &[side, origin] : sides) {
        layLineChart(writer, chartOf(*side, origin, writer.theme()), {left, y, width, height});
        below = std::max(below, layCauses(writer, *side, {left, y + height + writer.px(10), width, 0}));
        left += width + gap;
    }
    y += height + writer.px(10) + below;
    if (const QString beyond = lowLoadBeyond(values); !beyond.isEmpty()) {
        const SheetWriter::Letters small{12.5, 400, writer.theme().text2};
        const double lines = writer.heightOf(beyond, small, area.width()) + 1;
        writer.paragraph({area.left(), y, area.width(), lines}, beyond, small);
        y += lines;
    }
    return y - area.top();
}

} // namespace

Sheet lowLoadSheet(const LowLoadValues &values, const QRectF &area, const Theme &theme, double unit)
{
    return fittedSheet(theme, area, kLeast, unit,
                       [&](SheetWriter &writer, double rest) { return layOut(writer, values, area, rest); });
}

PagePicture lowLoadPicture(const LowLoadValues &values)
{
    return pictureOf(values, lowLoadSheet, lowLoadFinding(values), lowLoadProvenance(values), kLeast);
}

} // namespace shardscope
