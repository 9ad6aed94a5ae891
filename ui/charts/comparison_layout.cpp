// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/comparison_layout.h"

#include "ui/theme.h"
#include "ui/translation.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr double kWidestColumn = 760;
constexpr double kRowHeight = 40; ///< wanted; a chart shrinks to the room there is
constexpr double kHighestRow = 58;
constexpr double kLowestRow = 15;
constexpr double kSmallestTitle = 20;
constexpr double kNarrowestBars = 60;
constexpr double kFlat = 1.25;          ///< wider than high by that: charts side by side
constexpr double kTitleShrink = 0.85;   ///< a title that needs more gets a second line
constexpr double kLeastReadable = 0.88; ///< of what was asked: words of 11 pixels
constexpr double kMargin = 14;
constexpr double kSmallestUnit = 0.2; ///< of what was asked

double wrappedHeight(const QFont &font, const QString &text, double width)
{
    if (text.isEmpty())
        return 0;
    return QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 1e4), Qt::TextWordWrap, text).height();
}

double lineHeight(const QFont &font)
{
    return QFontMetricsF(font).height();
}

void setFonts(ComparisonLayout &layout, double unit)
{
    const double scale = layout.slide ? 1.25 : 1;
    layout.titleFont = uiFont(27, unit, 600);
    layout.speedupFont = uiFont(17, unit, 400);
    layout.chartTitleFont = uiFont(14 * scale, unit, 600);
    layout.textFont = uiFont(12.5 * scale, unit, 400);
    layout.valueFont = uiFont(13 * scale, unit, 600);
}

/// Labels and values have one width in all charts, so that the axes stand under each other.
struct Columns {
    double labels = 0;
    double values = 0;
};

Columns columnsOf(const ComparisonData &data, const ComparisonLayout &layout)
{
    const QFontMetricsF text(layout.textFont);
    const QFontMetricsF bold(layout.valueFont);
    Columns columns;
    for (const ChartGroup &group : data.groups) {
        for (const ChartRow &row : group.rows) {
            columns.labels = std::max(columns.labels, text.horizontalAdvance(row.label));
            if (row.shown())
                columns.values =
                    std::max(columns.values, bold.horizontalAdvance(valueText(group.metric, row.shown()->value)));
        }
    }
    return columns;
}

/// Bars from fewer steps than were asked for are not simply "measured"; of several such runs the footer and the
/// details of each bar have the numbers.
QString wholeOrNot(const QString &source, const QString &partial)
{
    if (partial.isEmpty())
        return source;
    const bool several = partial.contains(QLatin1Char(','));
    return tr("%1, %2").arg(source, several ? tr("fewer steps than asked for") : partial);
}

/// Entries side by side, in a new row where the width ends.
void layOutLegend(ComparisonLayout &layout, const ComparisonData &data, QPointF at, double width, double unit)
{
    using Item = LegendItem::Kind;
    std::vector<LegendItem> items;
    if (data.measured)
        items.push_back(data.stale      ? LegendItem{Item::Stale, tr("measured for other settings"), {}}
                        : data.recorded ? LegendItem{Item::Measured, wholeOrNot(tr("recorded"), data.partial), {}}
                                        : LegendItem{Item::Measured, wholeOrNot(tr("measured"), data.partial), {}});
    if (data.predicted)
        items.push_back({Item::Predicted, tr("predicted for %1").arg(data.predictedFor), {}});
    if (data.whiskers)
        items.push_back({Item::Whisker, tr("p10 to p90"), {}});
    const QFontMetricsF metrics(layout.textFont);
    const double row = metrics.height() + 4 * unit;
    double x = at.x();
    double y = at.y();
    for (LegendItem &item : items) {
        const double needed = 26 * unit + metrics.horizontalAdvance(item.text);
        if (x > at.x() && x + needed > at.x() + width) {
            x = at.x();
            y += row;
        }
        item.rect = {x, y, needed, row};
        x += needed + 16 * unit;
    }
    layout.legendItems = std::move(items);
    layout.legend = {at.x(), at.y(), width, y + row - at.y()};
}

int titleLines(const ComparisonLayout &layout, const QString &title, double width)
{
    const double wide = QFontMetricsF(layout.chartTitleFont).horizontalAdvance(title);
    return wide * kTitleShrink <= width ? 1 : 2;
}

/// What a chart needs beside its rows.
double headHeight(const ComparisonLayout &layout, int lines)
{
    return lines * lineHeight(layout.chartTitleFont) + lineHeight(layout.textFont);
}

ChartLayout chartLayout(const ChartGroup &group, const QRectF &cell, int lines, const ComparisonLayout &layout,
                        const Columns &columns, double unit)
{
    ChartLayout chart;
    const double gap = 8 * unit;
    chart.title = {cell.left(), cell.top(), cell.width(), lines * lineHeight(layout.chartTitleFont)};
    chart.quantity = {cell.left(), chart.title.bottom(), cell.width(), lineHeight(layout.textFont)};
    const double ticks = layout.slide ? lineHeight(layout.textFont) + 6 * unit : 0;
    const double top = chart.quantity.bottom() + 5 * unit;
    const double left = cell.left() + columns.labels + gap;
    const double right = std::max(left + 20 * unit, cell.right() - columns.values - 1.5 * gap);
    const auto count = static_cast<double>(std::max<std::size_t>(1, group.rows.size()));
    const double row = std::min(kHighestRow * unit, (cell.bottom() - ticks - top) / count);
    chart.labels = {cell.left(), top, columns.labels, row * count};
    chart.bars = {left, top, right - left, row * count};
    chart.values = {left, top, cell.right() - left, row * count};
    if (layout.slide)
        chart.ticks = {left, top + row * count + 3 * unit, right - left, ticks};
    chart.barHeight = std::max(6.0, std::min(row * 0.68, row - 4 * unit));
    for (std::size_t i = 0; i < group.rows.size(); ++i)
        chart.rows.emplace_back(cell.left(), top + static_cast<double>(i) * row, cell.width(), row);
    return chart;
}

void layOutColumn(ComparisonLayout &layout, const ComparisonData &data, const QRectF &area, double unit,
                  bool showFinding)
{
    const double inset = 10 * unit;
    double bottom = area.bottom();
    if (showFinding) {
        const QString text = data.speedup.isEmpty() ? data.finding : data.finding + QLatin1Char('\n') + data.speedup;
        const double height = wrappedHeight(layout.textFont, text, area.width() - 2 * inset) + 1.4 * inset;
        layout.conclusion = {area.left(), bottom - height, area.width(), height};
        bottom -= height + inset * 0.6;
    }
    layOutLegend(layout, data, area.topLeft(), area.width(), unit);
    const double top = layout.legend.bottom() + 4 * unit;
    const Columns columns = columnsOf(data, layout);
    const double between = 11 * unit;
    double rows = 0;
    double fixed = -between;
    for (const ChartGroup &group : data.groups) {
        rows += static_cast<double>(group.rows.size());
        fixed += headHeight(layout, titleLines(layout, group.title, area.width())) + 5 * unit + between;
    }
    const double row = std::clamp((bottom - top - fixed) / rows, kLowestRow * unit, kRowHeight * unit);
    double y = top;
    for (const ChartGroup &group : data.groups) {
        const int lines = titleLines(layout, group.title, area.width());
        const double height = headHeight(layout, lines) + 5 * unit + row * static_cast<double>(group.rows.size());
        layout.charts.push_back(
            chartLayout(group, {area.left(), y, area.width(), height}, lines, layout, columns, unit));
        y += height + between;
    }
}

void layOutSlide(ComparisonLayout &layout, const ComparisonData &data, const QRectF &area, double unit,
                 bool showFinding)
{
    double top = area.top();
    if (showFinding) {
        // A long finding is set smaller: two lines, as a title should be.
        for (double pixels = 26; pixels >= kSmallestTitle; --pixels) {
            if (wrappedHeight(layout.titleFont, data.finding, area.width()) < 2.5 * lineHeight(layout.titleFont))
                break;
            layout.titleFont = uiFont(pixels, unit, 600);
        }
        layout.title = {area.left(), top, area.width(), wrappedHeight(layout.titleFont, data.finding, area.width())};
        top = layout.title.bottom() + 8 * unit;
    }
    layOutLegend(layout, data, {area.left(), top}, area.width(), unit);
    top = layout.legend.bottom() + 12 * unit;
    const Columns columns = columnsOf(data, layout);
    const auto charts = static_cast<int>(data.groups.size());
    const int across = charts > 4 && area.width() > area.height() ? 3 : 2;
    const int down = (charts + across - 1) / across;
    const double gapX = 44 * unit;
    const double gapY = 26 * unit;
    const double width = (area.width() - gapX * (across - 1)) / across;
    const double height = (area.bottom() - top - gapY * (down - 1)) / down;
    const auto cell = [&](int i) {
        return QRectF(area.left() + (i % across) * (width + gapX), top + (i / across) * (height + gapY), width, height);
    };
    const auto groupAt = [&](int i) -> const ChartGroup & { return data.groups[static_cast<std::size_t>(i)]; };
    for (int i = 0; i < charts; ++i) {
        int lines = 1; // the same for all that stand side by side
        for (int j = i / across * across; j < std::min(charts, (i / across + 1) * across); ++j)
            lines = std::max(lines, titleLines(layout, groupAt(j).title, width));
        layout.charts.push_back(chartLayout(groupAt(i), cell(i), lines, layout, columns, unit));
    }
    // One rank beside N is the fifth chart; its reason fills the sixth cell.
    if (showFinding && !data.speedup.isEmpty() && charts < across * down) {
        const double inset = 18 * unit;
        const double needed = wrappedHeight(layout.speedupFont, data.speedup, width - 2 * inset) + 2 * inset;
        layout.speedup = cell(charts);
        layout.speedup.setHeight(needed);
    }
}

ComparisonLayout layoutWith(const ComparisonData &data, const QRectF &area, double unit, bool slide, bool showFinding)
{
    ComparisonLayout layout;
    layout.unit = unit;
    layout.slide = slide;
    setFonts(layout, unit);
    const double margin = (layout.slide ? 36 : kMargin) * unit;
    const QRectF inner = area.adjusted(margin, margin * 0.8, -margin, -margin * 0.8);
    if (layout.slide)
        layOutSlide(layout, data, inner, unit, showFinding);
    else
        layOutColumn(layout, data, inner, unit, showFinding);
    return layout;
}

bool fits(const ComparisonLayout &layout, const QRectF &area)
{
    if (layout.speedup.bottom() > area.bottom())
        return false;
    for (const ChartLayout &chart : layout.charts) {
        const double row = chart.rows.empty() ? 0 : chart.rows.front().height();
        const double bottom = std::max(chart.bars.bottom(), chart.ticks.bottom());
        const bool covered = !layout.conclusion.isEmpty() && bottom > layout.conclusion.top();
        if (row < 0.99 * kLowestRow * layout.unit || bottom > area.bottom() || covered ||
            chart.bars.width() < kNarrowestBars * layout.unit)
            return false;
    }
    return true;
}

} // namespace

double readableHeight(const ComparisonData &data, double width, double unit)
{
    const double least = kLeastReadable * unit;
    const ComparisonLayout layout = layoutWith(data, {0, 0, width, 0}, least, false, true);
    const double charts = layout.charts.empty() ? layout.legend.bottom() : layout.charts.back().bars.bottom();
    // In no height at all the rows are as low as they may be, and the box stands above the upper edge.
    return charts + layout.conclusion.height() + 4 * kMargin * least;
}

ComparisonLayout comparisonLayout(const ComparisonData &data, const QRectF &area, double unit, bool showFinding)
{
    const bool slide = area.width() > kWidestColumn * unit || area.width() > kFlat * area.height();
    ComparisonLayout layout = layoutWith(data, area, unit, slide, showFinding);
    for (double share = 0.95; !fits(layout, area) && share > kSmallestUnit; share *= 0.95)
        layout = layoutWith(data, area, unit * share, slide, showFinding);
    return layout;
}

std::optional<ChartPlace> placeAt(const ComparisonLayout &layout, const QPointF &point)
{
    for (std::size_t chart = 0; chart < layout.charts.size(); ++chart) {
        const std::vector<QRectF> &rows = layout.charts[chart].rows;
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const QRectF &r) { return r.contains(point); });
        if (row != rows.end())
            return ChartPlace{chart, static_cast<std::size_t>(row - rows.begin())};
    }
    return std::nullopt;
}

} // namespace shardscope
