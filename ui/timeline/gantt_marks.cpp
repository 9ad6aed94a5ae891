// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/gantt_plottable.h"

#include "ui/diagram/text_box.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr double kNumberPixels = 12;
constexpr double kNarrowestNumber = 9; ///< design pixels
constexpr double kLowestNumber = 11;
constexpr double kLowestBracket = 9;

} // namespace

/// Which micro-batch a stage works on: its number over the bars, as pipeline charts have it.
void GanttPlottable::drawMicroBatches(QCPPainter *painter, const TimelineLane &lane, const LaneSpan &span) const
{
    if (span.height() < m_style.px(kLowestNumber))
        return;
    const TimeRange range = view();
    const QFont font = uiFont(std::min(kNumberPixels, span.height() / m_style.unit * 0.7), m_style.unit, 700);
    const QFontMetricsF metrics(font);
    painter->setFont(font);
    for (const MicroBatchSpan &batch : lane.microBatches) {
        if (static_cast<double>(batch.end) < range.begin || static_cast<double>(batch.begin) > range.end)
            continue;
        const double left = mKeyAxis->coordToPixel(std::max(range.begin, static_cast<double>(batch.begin)));
        const double right = mKeyAxis->coordToPixel(std::min(range.end, static_cast<double>(batch.end)));
        const QString number = QString::number(batch.microBatch + 1);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(m_style.theme.text, m_style.px(1.2)));
        if (right - left >= m_style.px(4))
            painter->drawRect(QRectF(left, span.top, right - left, span.height()));
        if (right - left < std::max(m_style.px(kNarrowestNumber), metrics.horizontalAdvance(number) + 2))
            continue;
        QRectF pill(0, 0, metrics.horizontalAdvance(number) + m_style.px(8),
                    std::min(span.height() - 2, metrics.height()));
        pill.moveCenter({(left + right) / 2, (span.top + span.bottom) / 2});
        const bool roomy = pill.width() + m_style.px(4) < right - left;
        if (roomy)
            painter->fillRect(pill, m_style.theme.surface);
        painter->setPen(roomy ? m_style.theme.text : Theme::textOn(m_style.theme.compute(batch.pass)));
        painter->drawText(pill, Qt::AlignCenter | Qt::TextSingleLine, number);
    }
}

/// A bracket under what of a collective passes beside compute; the rest is exposed: it makes the step longer.
void GanttPlottable::drawHidden(QCPPainter *painter, const TimelineLane &lane, const LaneSpan &span) const
{
    if (lane.hidden.empty() || span.height() < m_style.px(kLowestBracket))
        return;
    const TimeRange range = view();
    const QFont font = uiFont(11, m_style.unit, 600);
    const QFontMetricsF metrics(font);
    const QColor ink = m_style.theme.ok;
    painter->setFont(font);
    for (const HiddenSpan &hidden : lane.hidden) {
        if (static_cast<double>(hidden.end) < range.begin || static_cast<double>(hidden.begin) > range.end)
            continue;
        const double left = mKeyAxis->coordToPixel(std::max(range.begin, static_cast<double>(hidden.begin)));
        const double right = mKeyAxis->coordToPixel(std::min(range.end, static_cast<double>(hidden.end)));
        if (right - left < m_style.px(3))
            continue;
        const double foot = span.bottom + m_style.px(1);
        const double top = foot - m_style.px(5);
        painter->setPen(QPen(ink, m_style.px(2)));
        painter->drawLine(QLineF(left, foot, right, foot));
        painter->drawLine(QLineF(left, top, left, foot));
        painter->drawLine(QLineF(right, top, right, foot));
        const QString word = tr("hidden");
        const double width = metrics.horizontalAdvance(word) + m_style.px(8);
        if (right - left < width + m_style.px(6) || span.height() < metrics.height() + m_style.px(2))
            continue;
        QRectF pill(0, 0, width, metrics.height());
        // At the right: the bar's own words begin at its left.
        pill.moveBottomRight({right - m_style.px(4), span.bottom - m_style.px(3)});
        painter->fillRect(pill, m_style.theme.surface);
        painter->setPen(ink);
        painter->drawText(pill, Qt::AlignCenter | Qt::TextSingleLine, word);
    }
}

/// Which axis each of a rank's lanes of collectives is of, where there are several.
void GanttPlottable::drawAxisNames(QCPPainter *painter) const
{
    const TimelineData &data = m_content->data;
    const LaneSpan first = laneSpan(data.rows.front(), 1);
    const QFont font = uiFont(std::min(11.0, first.height() / m_style.unit * 0.8), m_style.unit, 600);
    if (data.axes.size() < 2 || first.height() < m_style.px(kLowestBracket))
        return;
    painter->setFont(font);
    painter->setPen(m_style.theme.text3);
    for (const int rank : data.rows) {
        for (std::size_t i = 0; i < data.axes.size(); ++i) {
            const LaneSpan span = laneSpan(rank, 1 + static_cast<int>(i));
            const std::string_view name = axisName(data.axes[i]);
            painter->drawText(QRectF(clipRect().left() + m_style.px(3), span.top, m_style.px(30), span.height()),
                              Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                              QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
        }
    }
}

} // namespace shardscope
