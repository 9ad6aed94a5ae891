// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_overlay.h"

#include <algorithm>

namespace shardscope {

TimelineOverlay::TimelineOverlay(QCustomPlot *plot, GanttPlottable *gantt)
    : QCPLayerable(plot, QStringLiteral("overlay")), m_gantt(gantt)
{
}

void TimelineOverlay::setContent(const TimelineContent *content)
{
    m_content = content;
    focused = nullptr; // points into the previous content
}

void TimelineOverlay::applyDefaultAntialiasingHint(QCPPainter *painter) const
{
    painter->setAntialiasing(false);
}

void TimelineOverlay::draw(QCPPainter *painter)
{
    if (keyboardHere) {
        painter->setPen(QPen(m_style.theme.accent, 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(parentPlot()->rect().adjusted(1, 1, -1, -1));
    }
    if (!m_content || m_content->data.empty())
        return;
    const QRect lanes = m_gantt->keyAxis()->axisRect()->rect();
    painter->save();
    painter->setClipRect(lanes);
    drawStepFrames(painter);
    painter->restore();
    drawPlayhead(painter);
    if (focused)
        drawTooltip(painter);
}

void TimelineOverlay::drawStepFrames(QCPPainter *painter) const
{
    painter->setBrush(Qt::NoBrush);
    const auto frame = [&](const TimelineBar &bar, double width) {
        const double half = m_style.px(width) / 2;
        painter->setPen(QPen(m_style.theme.accent, m_style.px(width), Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter->drawRect(m_gantt->barRect(bar).adjusted(-half, half, half, -half));
    };
    if (hoveredStep >= 0) {
        for (const TimelineLane &lane : m_content->data.lanes) {
            for (const TimelineBar &bar : lane.bars) {
                if (bar.step == hoveredStep && &bar != focused)
                    frame(bar, 1.5);
            }
        }
    }
    if (focused)
        frame(*focused, 3);
}

void TimelineOverlay::drawPlayhead(QCPPainter *painter) const
{
    if (!playheadNs)
        return;
    const QRectF lanes = m_gantt->keyAxis()->axisRect()->rect();
    const double x = m_gantt->keyAxis()->coordToPixel(*playheadNs);
    if (x < lanes.left() - 1 || x > lanes.right() + 1)
        return;
    painter->setPen(QPen(m_style.theme.accent, m_style.px(2)));
    painter->drawLine(QLineF(x, lanes.top(), x, lanes.bottom()));
    const double r = m_style.px(5);
    painter->setAntialiasing(true);
    painter->setPen(Qt::NoPen);
    painter->setBrush(m_style.theme.accent);
    painter->drawPolygon(QPolygonF({{x - r, lanes.top() - r}, {x + r, lanes.top() - r}, {x, lanes.top() + r * 0.6}}));
    painter->setAntialiasing(false);
}

/// Above the lanes, over the legend, so that it never covers a bar; a line leads to the bar it speaks of.
void TimelineOverlay::drawTooltip(QCPPainter *painter) const
{
    const QStringList lines = barDescription(*m_content, *focused);
    const QFont bold = uiFont(13, m_style.unit, 600);
    const QFont text = uiFont(12.5, m_style.unit, 400);
    const QFontMetricsF boldMetrics(bold);
    const QFontMetricsF textMetrics(text);
    double width = boldMetrics.horizontalAdvance(lines.first());
    for (const QString &line : lines)
        width = std::max(width, textMetrics.horizontalAdvance(line));
    const double inset = m_style.px(10);
    const double height = boldMetrics.height() + textMetrics.height() * static_cast<double>(lines.size() - 1);

    const QRectF lanes = m_gantt->keyAxis()->axisRect()->rect();
    const QRectF bar = m_gantt->barRect(*focused);
    const double anchor = std::clamp(bar.center().x(), lanes.left(), lanes.right());
    const double edge = m_style.px(2);
    const double available = parentPlot()->width() - 2 * edge;
    QRectF box(0, 0, std::min(width + 2 * inset, available), height + m_style.px(12));
    box.moveBottom(std::max(lanes.top() - m_style.px(6), box.height() + edge));
    box.moveLeft(std::clamp(anchor - box.width() / 2, edge, std::max(edge, edge + available - box.width())));

    const QColor ground = m_style.theme.text;
    painter->setPen(QPen(ground, m_style.px(1.5)));
    painter->drawLine(QLineF(anchor, box.bottom(), anchor, bar.top()));
    painter->setAntialiasing(true);
    painter->setPen(Qt::NoPen);
    painter->setBrush(ground);
    painter->drawRoundedRect(box, m_style.px(5), m_style.px(5));
    painter->setAntialiasing(false);
    painter->setPen(m_style.theme.surface);
    double y = box.top() + m_style.px(6);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QFontMetricsF &metrics = i == 0 ? boldMetrics : textMetrics;
        painter->setFont(i == 0 ? bold : text);
        painter->drawText(QPointF(box.left() + inset, y + metrics.ascent()),
                          metrics.elidedText(lines[i], Qt::ElideRight, box.width() - 2 * inset + 1));
        y += metrics.height();
    }
}

} // namespace shardscope
