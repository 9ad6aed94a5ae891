// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/crossover_sheet.h"

#include "engine/record/format.h"
#include "engine/record/step_speed.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/fitted_sheet.h"
#include "ui/pages/line_chart.h"
#include "ui/pages/page_heading.h"
#include "ui/pages/points_provenance.h"
#include "ui/run_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

constexpr QSizeF kLeast(960, 600); ///< design pixels
constexpr double kLowestChart = 250;
constexpr double kBytesShare = 0.52; ///< of the width

QString detailsOf(const CrossoverCurve &curve, const CrossoverValue &value)
{
    QStringList lines{tr("%1, %2 tokens").arg(curve.name, formatGrouped(value.tokens)),
                      tr("counted in the plan: %1 per rank").arg(formatExactBytes(value.plannedBytes))};
    if (value.measured)
        lines << tr("observed: %1 per rank").arg(formatExactBytes(value.observedBytes));
    if (value.measuredStep.median > 0)
        lines << tr("step, %1: median %2, p10 %3, p90 %4")
                     .arg(measuredWords(*value.measured), formatDuration(value.measuredStep.median),
                          formatDuration(value.measuredStep.p10), formatDuration(value.measuredStep.p90));
    if (value.predictedNs > 0)
        lines << tr("step, predicted: %1").arg(formatDuration(value.predictedNs));
    return lines.join(QLatin1Char('\n'));
}

/// What of a curve's points is drawn, and how.
LineChart::Series seriesOf(const CrossoverCurve &curve, std::size_t index, const Theme &theme, LineChart::Origin origin,
                           double (*value)(const CrossoverValue &))
{
    LineChart::Series series{curve.name, curveColour(index, theme), curveShape(index), origin, true, {}};
    for (const CrossoverValue &point : curve.points) {
        if (const double y = value(point); y > 0)
            series.points.push_back({static_cast<double>(point.tokens), y, detailsOf(curve, point)});
    }
    return series;
}

double planned(const CrossoverValue &value)
{
    return static_cast<double>(value.plannedBytes);
}

double observed(const CrossoverValue &value)
{
    return static_cast<double>(value.observedBytes);
}

double measuredTime(const CrossoverValue &value)
{
    return value.measuredStep.median;
}

double predictedTime(const CrossoverValue &value)
{
    return value.predictedNs;
}

LineChart bytesChart(const CrossoverValues &values, const Theme &theme)
{
    LineChart chart;
    chart.title =
        values.measured == 0 ? tr("Bytes, counted in the plans")
        : values.asCounted == values.measured
            ? counted(values.measured, tr("Bytes: counted in the plans, and observed the same at %1 point|Bytes: "
                                          "counted in the plans, and observed the same at %1 points"))
            : tr("Bytes: counted in the plans; observed the same at %1 of %2 points")
                  .arg(values.asCounted)
                  .arg(values.measured);
    chart.xTitle = tr("tokens of one step, all ranks together");
    chart.yTitle = tr("bytes sent per rank and step (log scale)");
    chart.yText = [](double bytes) { return formatBytes(bytes); };
    for (std::size_t i = 0; i < values.curves.size(); ++i) {
        chart.series.push_back(seriesOf(values.curves[i], i, theme, LineChart::Origin::Formula, planned));
        chart.series.push_back(seriesOf(values.curves[i], i, theme, LineChart::Origin::Measured, observed));
        chart.series.back().joined = false;
        chart.series.back().name.clear();
    }
    for (const CrossoverPlace &place : values.places)
        chart.crossings.push_back(
            {place.tokens, place.bytes,
             tr("%1: %2 = %3 tokens").arg(place.name, place.formula, formatGrouped(std::llround(place.tokens)))});
    return chart;
}

/// The scheme with the shortest measured step of so many tokens; null where not all were measured, and where the times
/// differ less than they vary.
const CrossoverCurve *fastest(const CrossoverValues &values, std::int64_t tokens)
{
    std::vector<Distribution> steps;
    for (const CrossoverCurve &curve : values.curves) {
        const auto point = std::ranges::find(curve.points, tokens, &CrossoverValue::tokens);
        if (point == curve.points.end() || !(point->measuredStep.median > 0))
            return nullptr;
        steps.push_back(point->measuredStep);
    }
    const std::vector<std::size_t> best = fastestOf(steps);
    return best.size() == 1 ? &values.curves[best.front()] : nullptr;
}

/// Who is the fastest of what was measured with the fewest and with the most tokens.
QString timeTitle(const CrossoverValues &values)
{
    std::vector<std::pair<std::int64_t, const CrossoverCurve *>> known;
    for (const CrossoverValue &point : values.curves.front().points) {
        if (const CrossoverCurve *best = fastest(values, point.tokens))
            known.emplace_back(point.tokens, best);
    }
    if (known.size() > 1 && known.front().second == known.back().second)
        return tr("Time, %1: fastest at %2 and at %3 tokens is %4")
            .arg(measuredWords(*values.anyMeasured()), formatGrouped(known.front().first),
                 formatGrouped(known.back().first), known.front().second->name);
    if (known.size() > 1)
        return tr("Time, %1: fastest at %2 tokens is %3, at %4 %5")
            .arg(measuredWords(*values.anyMeasured()), formatGrouped(known.front().first), known.front().second->name,
                 formatGrouped(known.back().first), known.back().second->name);
    if (values.measured > 0)
        return tr("Time of a step, %1").arg(measuredWords(*values.anyMeasured()));
    return values.predicted ? tr("Time: a step predicted for %1").arg(predictedMachine(*values.predicted))
                            : tr("Time of a step");
}

LineChart timeChart(const CrossoverValues &values, const Theme &theme)
{
    LineChart chart;
    chart.title = timeTitle(values);
    chart.xTitle = values.measured > 0 && values.showsPredicted() ? tr("tokens of one step; dashed, hollow: predicted")
                                                                  : tr("tokens of one step");
    chart.yTitle = values.measured > 0 ? tr("time of a step, median (log scale)") : tr("time of a step (log scale)");
    chart.binary = false;
    chart.yText = [](double time) { return formatDuration(time); };
    chart.empty = tr("Not measured, and too large to be predicted here.");
    for (std::size_t i = 0; i < values.curves.size(); ++i) {
        if (values.showsPredicted())
            chart.series.push_back(seriesOf(values.curves[i], i, theme, LineChart::Origin::Predicted, predictedTime));
        chart.series.push_back(seriesOf(values.curves[i], i, theme, LineChart::Origin::Measured, measuredTime));
        if (values.showsPredicted())
            chart.series.back().name.clear();
    }
    return chart;
}

/// What each scheme moves, in the colours of the curves; the height is returned.
double layMoves(SheetWriter &writer, const CrossoverValues &values, const QRectF &area, double top)
{
    const SheetWriter::Letters words{13, 400, {}};
    const double left = area.left() + writer.px(148);
    double y = top;
    for (std::size_t i = 0; i < values.curves.size(); ++i) {
        const CrossoverCurve &curve = values.curves[i];
        const double height = writer.heightOf(curve.moves, words, area.right() - left) + 1;
        const QColor colour = curveColour(i, writer.theme());
        writer.sheet().dots.push_back({{area.left() + writer.px(7), y + writer.px(9)},
                                       writer.px(5),
                                       curveShape(i),
                                       colour,
                                       visibleOutline(colour, writer.theme().surface),
                                       std::max(1.0, writer.px(1.6))});
        writer.text({area.left() + writer.px(20), y, left - area.left() - writer.px(24), writer.px(18)}, curve.name,
                    {13, 600, {}});
        writer.paragraph({left, y, area.right() - left, height}, curve.moves, words);
        y += height + writer.px(3);
    }
    return y - top;
}

/// Where the measured points stop before the crossing: why, and what helps.
QString beyondWords(const CrossoverValues &values)
{
    if (!values.refusal.isEmpty())
        return tr("Nothing is measured: %1.").arg(values.refusal);
    if (values.places.empty())
        return {};
    const double last = values.places.back().tokens;
    if (static_cast<double>(values.affordable) >= last)
        return {};
    if (values.affordable == 0)
        return tr("A step of this layer takes over a second: nothing is measured. Choose a smaller h in the "
                  "workbench.");
    return tr("Beyond %1 tokens a step takes over a second and is not measured. The crossing comes sooner in a "
              "narrower layer: choose a smaller h in the workbench.")
        .arg(formatGrouped(values.affordable));
}

double layOut(SheetWriter &writer, const CrossoverValues &values, const QRectF &area, double rest)
{
    double y = pageHeading(writer, area, crossoverFinding(values), crossoverSetting(values)) + writer.px(8);
    if (values.curves.empty()) {
        const QString choose = tr("Choose another number of ranks in the workbench.");
        const QString words = values.problem.isEmpty() ? choose : values.problem + QStringLiteral(". ") + choose;
        return wordsBox(writer, {area.left(), y, area.width(), area.bottom() - y}, words, 22).bottom() - area.top();
    }
    const SheetWriter::Letters small{12.5, 400, writer.theme().text2};
    const double height = writer.px(kLowestChart + rest);
    const double bytes = area.width() * kBytesShare;
    layLineChart(writer, bytesChart(values, writer.theme()), {area.left(), y, bytes, height});
    const double gap = writer.px(22);
    layLineChart(writer, timeChart(values, writer.theme()),
                 {area.left() + bytes + gap, y, area.width() - bytes - gap, height});
    y += height + writer.px(8);
    y += layMoves(writer, values, area, y);
    if (const QString beyond = beyondWords(values); !beyond.isEmpty()) {
        const double words = writer.heightOf(beyond, small, area.width()) + 1;
        y += writer.paragraph({area.left(), y + writer.px(3), area.width(), words}, beyond, small) + writer.px(3);
    }
    return y - area.top();
}

} // namespace

Sheet crossoverSheet(const CrossoverValues &values, const QRectF &area, const Theme &theme, double unit)
{
    return fittedSheet(theme, area, kLeast, unit,
                       [&](SheetWriter &writer, double rest) { return layOut(writer, values, area, rest); });
}

PagePicture crossoverPicture(const CrossoverValues &values)
{
    return pictureOf(values, crossoverSheet, crossoverFinding(values), crossoverProvenance(values), kLeast);
}

} // namespace shardscope
