// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/gantt_plottable.h"

#include "engine/record/hosts.h"
#include "ui/charts/number_format.h"
#include "ui/texts.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr double kHatchSpacing = 6;
constexpr double kHitTolerance = 3; ///< design pixels around a thin bar
constexpr double kTallestBar = 72;
constexpr double kSmallestLabel = 11; ///< design pixels
constexpr double kOutlinedFrom = 4;   ///< pixels; a narrower bar is all fill
constexpr double kHollowFrom = 7;     ///< design pixels; in a lower bar the outline would be all there is
constexpr double kBackwardShare = 0.5;

double labelPixels(double barHeight, double unit)
{
    return std::clamp(barHeight / unit * 0.42, kSmallestLabel, 17.0);
}

} // namespace

void drawWaitingHatch(QPainter *painter, const QRectF &rect, const TimelineStyle &style, bool stale)
{
    const Theme &theme = style.theme;
    const QColor ink = stale ? theme.text3 : theme.warn;
    painter->fillRect(rect, theme.surface);
    if (rect.width() < 2 * style.unit || rect.height() < 5 * style.unit) {
        painter->fillRect(rect, ink);
        return;
    }
    painter->setBrush(Qt::NoBrush);
    // A square cap would stick out of the rectangle as a small triangle.
    painter->setPen(QPen(ink, style.px(1.4), Qt::SolidLine, Qt::FlatCap));
    painter->drawLines(hatchLines(rect, style.px(kHatchSpacing)));
    painter->setPen(QPen(ink, style.px(1)));
    painter->drawRect(rect);
}

BarPaint computePaint(const Theme &theme, Pass pass, BarOrigin origin)
{
    const QColor colour = theme.compute(pass);
    BarPaint paint = barPaint(colour, theme.surface, origin);
    if (origin == BarOrigin::Predicted && colour == theme.backwardCompute)
        paint.fill = mixed(theme.surface, colour, kBackwardShare);
    return paint;
}

QColor hopColour(const Theme &theme)
{
    return mixed(theme.surface, theme.text, 0.8);
}

GanttPlottable::GanttPlottable(QCPAxis *timeAxis, QCPAxis *rankAxis) : QCPAbstractPlottable(timeAxis, rankAxis)
{
    removeFromLegend();
}

TimeRange GanttPlottable::view() const
{
    return {mKeyAxis->range().lower, mKeyAxis->range().upper};
}

GanttPlottable::LaneSpan GanttPlottable::laneSpan(int rank, int place) const
{
    const int row = m_content->data.rowOf(rank);
    const double top = mValueAxis->coordToPixel(row);
    const double height = mValueAxis->coordToPixel(row + 1) - top;
    // With 64 ranks a lane has a handful of pixels: no room for gaps.
    const double gap = height >= 12 ? 0.07 * height : 0;
    const int lanes = m_content->data.communicates ? m_content->data.lanesPerRank() : 1;
    const double bar = std::min((height - 2 * gap) / lanes, m_style.px(kTallestBar));
    const double middle = top + height / 2;
    if (lanes == 1)
        return {middle - bar / 2, middle + bar / 2};
    const double begin = middle + (place - lanes / 2.0) * bar;
    const double inner = height >= 12 ? m_style.px(0.5) : 0;
    // Thin lanes on whole pixels: else every other one looks thicker.
    if (height < 12 && !m_style.vector)
        return {std::round(begin), std::round(begin + bar)};
    return {begin + inner, begin + bar - inner};
}

QRectF GanttPlottable::barRect(const TimelineBar &bar) const
{
    const LaneSpan span = laneSpan(bar.rank, m_content->data.placeOf(bar));
    const double left = mKeyAxis->coordToPixel(static_cast<double>(bar.begin));
    const double right = mKeyAxis->coordToPixel(static_cast<double>(bar.end));
    return {left, span.top, std::max(1.0, right - left), span.height()};
}

const TimelineBar *GanttPlottable::barAtPixel(const QPointF &pixel) const
{
    if (!m_content || m_content->data.empty() || !clipRect().contains(pixel.toPoint()))
        return nullptr;
    const int row = static_cast<int>(std::floor(mValueAxis->pixelToCoord(pixel.y())));
    if (row < 0 || row >= m_content->data.rowCount())
        return nullptr;
    const int rank = m_content->data.rows[static_cast<std::size_t>(row)];
    const double perPixel = view().size() / std::max(1, mKeyAxis->axisRect()->width());
    const double time = mKeyAxis->pixelToCoord(pixel.x());
    for (int place = 0; place < m_content->data.lanesPerRank(); ++place) {
        const LaneSpan span = laneSpan(rank, place);
        if (pixel.y() >= span.top && pixel.y() <= span.bottom)
            return barAt(m_content->data.laneAt(rank, place), time, perPixel * m_style.px(kHitTolerance));
    }
    return nullptr;
}

double GanttPlottable::selectTest(const QPointF &pixel, bool, QVariant *) const
{
    return barAtPixel(pixel) ? 0 : -1;
}

QCPRange GanttPlottable::getKeyRange(bool &found, QCP::SignDomain) const
{
    found = m_content && !m_content->data.empty();
    return found ? QCPRange(0, static_cast<double>(m_content->data.durationNs)) : QCPRange();
}

QCPRange GanttPlottable::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = m_content && m_content->data.rowCount() > 0;
    return found ? QCPRange(0, m_content->data.rowCount()) : QCPRange();
}

void GanttPlottable::draw(QCPPainter *painter)
{
    if (!m_content || m_content->data.empty())
        return;
    painter->setAntialiasing(false);
    drawGround(painter);
    for (const TimelineLane &lane : m_content->data.lanes)
        drawLane(painter, lane);
}

void GanttPlottable::drawLegendIcon(QCPPainter *, const QRectF &) const {}

/// Lines between ranks and passes.
void GanttPlottable::drawGround(QCPPainter *painter) const
{
    const QRect rect = clipRect();
    const TimelineData &data = m_content->data;
    const double laneHeight = mValueAxis->coordToPixel(1) - mValueAxis->coordToPixel(0);
    painter->setPen(QPen(m_style.theme.grid, m_style.px(1)));
    for (int row = 1; row < data.rowCount() && laneHeight >= 12; ++row) {
        const double y = mValueAxis->coordToPixel(row);
        painter->drawLine(QLineF(rect.left(), y, rect.right(), y));
    }
    drawHostLines(painter);
    if (data.communicates)
        drawAxisNames(painter);
    painter->setPen(QPen(m_style.theme.text3, m_style.px(1), Qt::DashLine));
    for (std::size_t i = 1; i < data.sections.size(); ++i) {
        if (data.interleaved(i))
            continue;
        const double x = mKeyAxis->coordToPixel((data.sections[i - 1].range.end + data.sections[i].range.begin) / 2);
        painter->drawLine(QLineF(x, rect.top(), x, rect.bottom()));
    }
}

/// Between rows of different hosts, stronger than between ranks.
void GanttPlottable::drawHostLines(QCPPainter *painter) const
{
    const TimelineData &data = m_content->data;
    const std::vector<int> hosts = hostsByRank(*m_content->run);
    if (hosts.empty() || data.rowCount() < data.ranks)
        return;
    painter->setPen(QPen(m_style.theme.text2, m_style.px(2)));
    for (std::size_t rank = 1; rank < hosts.size(); ++rank) {
        const double y = mValueAxis->coordToPixel(static_cast<double>(rank));
        if (hosts[rank] != hosts[rank - 1])
            painter->drawLine(QLineF(clipRect().left(), y, clipRect().right(), y));
    }
}

void GanttPlottable::drawLane(QCPPainter *painter, const TimelineLane &lane) const
{
    TimelineBar ofLane;
    ofLane.collective = lane.stream == Stream::Communication;
    ofLane.axis = lane.axis;
    const LaneSpan span = laneSpan(lane.rank, m_content->data.placeOf(ofLane));
    const double left = mKeyAxis->axisRect()->left();
    for (VisibleBar visible : visibleBars(lane, view(), mKeyAxis->axisRect()->width(), !m_style.vector)) {
        visible.left += left, visible.right += left, visible.waitEnd += left;
        drawBar(painter, visible, span);
    }
    drawHops(painter, lane, span);
    drawMicroBatches(painter, lane, span);
    drawHidden(painter, lane, span);
}

BarPaint GanttPlottable::paintOf(const TimelineBar &bar) const
{
    const Theme &theme = m_style.theme;
    return bar.collective ? barPaint(theme.collective(bar.op), theme.surface, m_content->origin())
                          : computePaint(theme, bar.pass, m_content->origin());
}

void GanttPlottable::drawBar(QCPPainter *painter, const VisibleBar &visible, const LaneSpan &span) const
{
    const TimelineBar &bar = *visible.bar;
    const BarPaint paint = paintOf(bar);
    const double waitEnd = bar.waitNs > 0 ? std::clamp(visible.waitEnd, visible.left, visible.right) : visible.left;
    QRectF body(waitEnd, span.top, std::max(1.0, visible.right - waitEnd), span.height());
    const bool predicted = m_content->origin() == BarOrigin::Predicted;
    const bool low = body.height() < m_style.px(kHollowFrom);
    const bool hollow = predicted && !low;
    const QColor lowFill = mixed(paint.fill, paint.outline, 0.4);
    painter->fillRect(body, !predicted                     ? paint.fill
                            : low                          ? lowFill
                            : body.width() < kOutlinedFrom ? paint.outline
                                                           : paint.fill);
    if (waitEnd - visible.left >= 1)
        drawWaitingHatch(painter, {visible.left, span.top, waitEnd - visible.left, span.height()}, m_style,
                         m_content->stale);
    if (body.width() < kOutlinedFrom || body.height() < kOutlinedFrom || (predicted && low))
        return;
    const double line = hollow ? m_style.px(1.2) : 1;
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(hollow ? paint.outline : mixed(paint.fill, m_style.theme.surface, 0.35), line));
    painter->drawRect(body.adjusted(line / 2, line / 2, -line / 2, -line / 2));
    drawLabel(painter, bar, body, paint.fill);
}

/// The label as it fits: whole, in smaller letters, or only the name of what the step makes ("dW1" of "dW1 = Xᵗ·dZ").
GanttPlottable::FittedLabel GanttPlottable::fittedLabel(const QString &label, double pixels, double width) const
{
    const auto fits = [&](const QString &text, double size) {
        return QFontMetricsF(uiFont(size, m_style.unit, 500)).horizontalAdvance(text) <= width;
    };
    for (double size = pixels; size >= std::max(kSmallestLabel, 0.75 * pixels); size -= 1) {
        if (fits(label, size))
            return {label, size};
    }
    const QString made = label.section(QStringLiteral(" = "), 0, 0);
    for (double size = pixels; size >= kSmallestLabel; size -= 1) {
        if (made != label && fits(made, size))
            return {made, size};
    }
    return {};
}

/// The label, and under it the duration where the bar is high enough.
void GanttPlottable::drawLabel(QCPPainter *painter, const TimelineBar &bar, const QRectF &rect,
                               const QColor &fill) const
{
    // Of many micro-batches the number over the bars is what is read.
    if (!bar.collective && m_content->run->experiment().microBatches > 1)
        return;
    const double inset = m_style.px(5);
    const double pixels = labelPixels(rect.height(), m_style.unit);
    const QRectF visible = rect.intersected(QRectF(clipRect())).adjusted(inset, 0, -inset, 0);
    if (rect.height() < 0.95 * QFontMetricsF(uiFont(pixels, m_style.unit, 500)).capHeight() + 2)
        return;
    const FittedLabel label = fittedLabel(formulaText(m_content->step(bar.step).label), pixels, visible.width());
    if (label.text.isEmpty())
        return;
    const QFont font = uiFont(label.pixels, m_style.unit, 500);
    const QFontMetricsF metrics(font);
    painter->setFont(font);
    painter->setPen(Theme::textOn(fill));
    const QFont small = uiFont(label.pixels - 2, m_style.unit, 400);
    const QFontMetricsF smallMetrics(small);
    const QString duration = formatDuration(static_cast<double>(bar.duration() - bar.waitNs));
    const bool twoLines = visible.height() > metrics.height() + smallMetrics.height() + m_style.px(4) &&
                          visible.width() >= smallMetrics.horizontalAdvance(duration);
    if (!twoLines) {
        painter->drawText(visible.adjusted(0, 0, 1, 0), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                          label.text);
        return;
    }
    const double top = visible.center().y() - (metrics.height() + smallMetrics.height()) / 2;
    painter->drawText(QPointF(visible.left(), top + metrics.ascent()), label.text);
    painter->setFont(small);
    painter->drawText(QPointF(visible.left(), top + metrics.height() + smallMetrics.ascent()), duration);
}

/// Where each hop of our own algorithms began: a notch in the bar, as long as notches stay apart.
void GanttPlottable::drawHops(QCPPainter *painter, const TimelineLane &lane, const LaneSpan &span) const
{
    if (span.height() < m_style.px(6))
        return;
    const TimeRange range = view();
    const auto from = std::lower_bound(lane.hopStarts.begin(), lane.hopStarts.end(),
                                       static_cast<std::int64_t>(std::floor(range.begin)));
    const double notch = std::min(span.height() * 0.25, m_style.px(6));
    double last = -1e9;
    painter->setPen(QPen(hopColour(m_style.theme), m_style.px(1)));
    for (auto hop = from; hop != lane.hopStarts.end() && static_cast<double>(*hop) <= range.end; ++hop) {
        const double x = mKeyAxis->coordToPixel(static_cast<double>(*hop));
        if (x - last < m_style.px(6))
            continue;
        painter->drawLine(QLineF(x, span.bottom - notch, x, span.bottom));
        last = x;
    }
}

} // namespace shardscope
