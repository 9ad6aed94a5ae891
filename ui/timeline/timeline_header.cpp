// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_header.h"

#include "ui/diagram/words.h"
#include "ui/texts.h"
#include "ui/timeline/gantt_plottable.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace shardscope {
namespace {

constexpr double kTitlePixels = 18;
constexpr double kSmallestTitle = 12;
constexpr double kTextPixels = 13;
constexpr double kLegendRow = 21;
constexpr double kPassRow = 22;
constexpr double kSwatch = 16;

/// The title as it fits: whole, in smaller letters, or without what its last clauses add: "Up to 96 % of the step is
/// communication" of "...: 212 ms of 226 ms; up to 76.9 ms are waiting".
std::pair<QString, QFont> fittedTitle(const QString &title, double width, double unit)
{
    QStringList shorter{title};
    for (const QLatin1String clause : {QLatin1String("; "), QLatin1String(": ")})
        shorter << shorter.back().section(clause, 0, 0);
    for (const QString &words : shorter) {
        for (double pixels = kTitlePixels; pixels >= kSmallestTitle; --pixels) {
            const QFont font = uiFont(pixels, unit, 600);
            if (QFontMetricsF(font).horizontalAdvance(words) <= width)
                return {words, font};
        }
    }
    const QFont font = uiFont(kSmallestTitle, unit, 600);
    return {QFontMetricsF(font).elidedText(shorter.back(), Qt::ElideRight, width), font};
}

/// One entry for all passes whose bars look alike.
std::vector<std::vector<Pass>> passesByColour(const TimelineData &data, const Theme &theme)
{
    std::vector<std::vector<Pass>> groups;
    for (const PassSection &section : data.sections) {
        const auto alike = std::ranges::find_if(groups, [&](const std::vector<Pass> &group) {
            return theme.compute(group.front()) == theme.compute(section.pass);
        });
        if (alike == groups.end())
            groups.push_back({section.pass});
        else if (std::ranges::find(*alike, section.pass) == alike->end())
            alike->push_back(section.pass);
    }
    return groups;
}

/// The plan's labels abbreviate the collectives; the legend says what the letters mean.
QString legendText(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce:
        return TimelineHeader::tr("AR: all-reduce");
    case CollectiveOp::AllGather:
        return TimelineHeader::tr("AG: all-gather");
    case CollectiveOp::ReduceScatter:
        return TimelineHeader::tr("RS: reduce-scatter");
    case CollectiveOp::SendRecv:
        return TimelineHeader::tr("send to the next stage");
    default:
        return opName(op);
    }
}

} // namespace

TimelineHeader::TimelineHeader(QCustomPlot *plot, QCPAxis *timeAxis) : QCPLayoutElement(plot), m_timeAxis(timeAxis)
{
    setLayer(QStringLiteral("main"));
}

void TimelineHeader::applyDefaultAntialiasingHint(QCPPainter *painter) const
{
    painter->setAntialiasing(false);
}

std::vector<TimelineHeader::LegendEntry> TimelineHeader::legend() const
{
    std::vector<LegendEntry> entries;
    if (!m_content || m_content->data.empty() || m_extent != Extent::Full)
        return entries;
    const Theme &theme = m_style.theme;
    std::set<CollectiveOp> ops;
    bool hops = false;
    for (const TimelineLane &lane : m_content->data.lanes) {
        hops |= !lane.hopStarts.empty();
        for (const TimelineBar &bar : lane.bars) {
            if (bar.collective)
                ops.insert(bar.op);
        }
    }
    const BarOrigin origin = m_content->origin();
    const auto ofOp = [&](CollectiveOp op) { return barPaint(theme.collective(op), theme.surface, origin); };
    for (const std::vector<Pass> &alike : passesByColour(m_content->data, theme)) {
        QStringList names;
        for (const Pass pass : alike)
            names << passName(pass);
        entries.push_back({tr("%1 compute").arg(names.join(tr(" and "))), computePaint(theme, alike.front(), origin)});
    }
    for (const CollectiveOp op : ops)
        entries.push_back({legendText(op), ofOp(op)});
    if (hops && !ops.empty())
        entries.push_back({tr("notch: a hop begins"), ofOp(*ops.begin()), LegendEntry::Kind::Hops});
    if (m_content->data.hiddenNs > 0)
        entries.push_back({tr("bracket: hidden under compute"), {}, LegendEntry::Kind::Hidden});
    if (m_content->data.longestWaitNs > 0)
        entries.push_back({tr("waiting: time beyond the quickest rank's"), {}, LegendEntry::Kind::Hatch});
    return entries;
}

std::vector<TimelineHeader::Placed> TimelineHeader::placedLegend(double width) const
{
    std::vector<Placed> placed;
    const QFontMetricsF metrics(uiFont(kTextPixels, m_style.unit));
    double x = 0;
    double y = titleHeight();
    for (const LegendEntry &entry : legend()) {
        const double needed = m_style.px(kSwatch + 8) + metrics.horizontalAdvance(entry.text);
        if (x > 0 && x + needed > width) {
            x = 0;
            y += m_style.px(kLegendRow);
        }
        placed.push_back({entry, {x, y, std::min(needed, width - x), m_style.px(kLegendRow)}});
        x += needed + m_style.px(18);
    }
    return placed;
}

/// A warning is said whatever the height.
bool TimelineHeader::hasCaption() const
{
    if (!m_content || (m_extent == Extent::TitleOnly && m_content->warning.isEmpty()))
        return false;
    return !m_content->caption.isEmpty() || !m_content->warning.isEmpty();
}

double TimelineHeader::titleHeight() const
{
    return m_style.px(kTitlePixels * 1.5 + (hasCaption() ? kTextPixels * 1.6 : 0));
}

int TimelineHeader::heightFor(double width) const
{
    const std::vector<Placed> placed = placedLegend(width);
    const double bottom = placed.empty() ? titleHeight() : placed.back().rect.bottom();
    return static_cast<int>(std::ceil(bottom + m_style.px(kPassRow)));
}

void TimelineHeader::draw(QCPPainter *painter)
{
    if (!m_content)
        return;
    drawTitle(painter);
    drawLegend(painter);
    drawPasses(painter);
}

void TimelineHeader::drawTitle(QCPPainter *painter) const
{
    const Theme &theme = m_style.theme;
    const QRectF area = rect();
    const QRectF titleRow(area.left(), area.top(), std::max(0.0, area.width() - m_reserved),
                          m_style.px(kTitlePixels * 1.4));
    const auto [title, font] = fittedTitle(m_content->title, titleRow.width(), m_style.unit);
    painter->setFont(font);
    painter->setPen(theme.text);
    painter->drawText(titleRow.adjusted(0, 0, 1, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, title);
    if (hasCaption())
        drawCaption(painter, {area.left(), titleRow.bottom(), area.width(), m_style.px(kTextPixels * 1.5)});
}

void TimelineHeader::drawCaption(QCPPainter *painter, QRectF row) const
{
    const Theme &theme = m_style.theme;
    const QFont text = uiFont(kTextPixels, m_style.unit, 400);
    const QFont strong = uiFont(kTextPixels, m_style.unit, 600);
    if (!m_content->warning.isEmpty()) {
        painter->setFont(strong);
        painter->setPen(theme.warn);
        painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, m_content->warning);
        row.setLeft(row.left() + QFontMetricsF(strong).horizontalAdvance(m_content->warning) + m_style.px(16));
    }
    painter->setFont(text);
    painter->setPen(theme.text2);
    painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                      captionWithin(m_content->caption, QFontMetricsF(text), std::max(0.0, row.width())));
}

void TimelineHeader::drawLegend(QCPPainter *painter) const
{
    const Theme &theme = m_style.theme;
    const QFont font = uiFont(kTextPixels, m_style.unit);
    const QFontMetricsF metrics(font);
    for (const Placed &placed : placedLegend(rect().width())) {
        const QRectF row = placed.rect.translated(rect().topLeft());
        const QRectF swatch(row.left() + m_style.px(1), row.center().y() - m_style.px(5.5), m_style.px(kSwatch),
                            m_style.px(11));
        if (placed.entry.kind == LegendEntry::Kind::Hatch) {
            drawWaitingHatch(painter, swatch, m_style, m_content->stale);
        } else if (placed.entry.kind == LegendEntry::Kind::Hidden) {
            painter->setPen(QPen(theme.ok, m_style.px(2)));
            painter->drawPolyline(QPolygonF({{swatch.left(), swatch.center().y()},
                                             swatch.bottomLeft(),
                                             swatch.bottomRight(),
                                             {swatch.right(), swatch.center().y()}}));
        } else {
            const BarPaint &paint = placed.entry.paint;
            painter->fillRect(swatch, paint.fill);
            painter->setPen(QPen(paint.outline, m_style.px(1)));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(swatch);
        }
        if (placed.entry.kind == LegendEntry::Kind::Hops) {
            painter->setPen(QPen(hopColour(theme), m_style.px(1)));
            for (const double share : {0.33, 0.67}) {
                const double x = swatch.left() + share * swatch.width();
                painter->drawLine(QLineF(x, swatch.bottom() - m_style.px(5), x, swatch.bottom()));
            }
        }
        const QRectF text(swatch.right() + m_style.px(6), row.top(), row.right() - swatch.right() - m_style.px(6),
                          row.height());
        painter->setFont(font);
        painter->setPen(theme.text2);
        painter->drawText(text.adjusted(0, 0, 1, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                          metrics.elidedText(placed.entry.text, Qt::ElideRight, text.width() + 1));
    }
}

/// Each name over the visible part of its pass; left out where it does not fit.
void TimelineHeader::drawPasses(QCPPainter *painter) const
{
    const QRectF axis = m_timeAxis->axisRect()->rect();
    const QFont font = uiFont(kTextPixels, m_style.unit, 600);
    const QFontMetricsF metrics(font);
    painter->setFont(font);
    painter->setPen(m_style.theme.text2);
    const TimelineData &data = m_content->data;
    for (std::size_t i = 0; i < data.sections.size(); ++i) {
        if (data.interleaved(i) || data.interleaved(i + 1))
            continue;
        const PassSection &section = data.sections[i];
        const double left = std::max(axis.left(), m_timeAxis->coordToPixel(section.range.begin));
        const double right = std::min(axis.right(), m_timeAxis->coordToPixel(section.range.end));
        const QString heading = passHeading(section.pass);
        if (right - left < metrics.horizontalAdvance(heading))
            continue;
        const QRectF row(left, rect().bottom() - m_style.px(kPassRow), right - left, m_style.px(kPassRow - 3));
        painter->drawText(row, Qt::AlignHCenter | Qt::AlignBottom | Qt::TextSingleLine, heading);
    }
}

} // namespace shardscope
