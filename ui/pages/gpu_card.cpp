// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/gpu_card.h"

#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr double kHead = 20; ///< design pixels
constexpr double kLine = 16;
constexpr double kMeter = 6;
constexpr double kMeterStep = 25; ///< words and bar
constexpr double kPadding = 5;
constexpr double kWidest = 132;
constexpr double kFaint = 0.16; ///< fill of what is only predicted, as hollow bars have it

class Card
{
public:
    Card(SheetWriter &writer, const GpuCard &card, const QRectF &rect)
        : m_writer(writer), m_card(card), m_rect(rect), m_colour(theme().rank(card.number, card.of))
    {
    }

    void lay()
    {
        const QColor outline = visibleOutline(m_colour, theme().surface);
        m_writer.box({.rect = m_rect, .fill = theme().surface, .radius = px(5)});
        const QRectF head(m_rect.topLeft(), QSizeF(m_rect.width(), px(kHead)));
        const QColor fill = m_card.predicted ? mixed(theme().surface, m_colour, kFaint) : m_colour;
        m_writer.box({.rect = head, .fill = fill, .radius = px(5)});
        m_writer.box({.rect = m_rect,
                      .outline = outline,
                      .line = px(m_card.predicted ? 1.2 : 1.8),
                      .radius = px(5),
                      .dashed = m_card.predicted});
        m_writer.text(head, tr("GPU %1").arg(m_card.number), {12.5, 600, Theme::textOn(fill)}, Qt::AlignCenter);
        double y = head.bottom() + px(3);
        for (const QString &line : m_card.lines) {
            m_writer.text(lineAt(y, kLine), line, {12, 400, theme().text}, Qt::AlignCenter);
            y += px(kLine);
        }
        if (m_card.showsLoad)
            layLoad(y + px(2));
        m_writer.spot(m_rect, m_card.details);
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    [[nodiscard]] QRectF lineAt(double y, double height) const
    {
        return {m_rect.left() + px(kPadding), y, m_rect.width() - 2 * px(kPadding), px(height)};
    }

    void layLoad(double y)
    {
        const bool busy = m_card.load && m_card.load->busyPercent >= 0;
        layOne(y, busy ? tr("busy %1 %").arg(m_card.load->busyPercent) : tr("busy: not told"),
               busy ? m_card.load->busyPercent / 100.0 : 0);
        const bool memory = m_card.load && m_card.load->freeBytes >= 0 && m_card.memoryBytes > 0;
        const std::int64_t used = memory ? std::max<std::int64_t>(0, m_card.memoryBytes - m_card.load->freeBytes) : 0;
        layOne(y + px(kMeterStep),
               memory ? tr("used %1").arg(formatBytes(static_cast<double>(used))) : tr("used: not told"),
               memory ? static_cast<double>(used) / static_cast<double>(m_card.memoryBytes) : 0);
    }

    void layOne(double y, const QString &words, double share)
    {
        m_writer.text(lineAt(y, kLine), words, {11.5, 400, m_card.dimmed ? theme().text3 : theme().text});
        QRectF bar = lineAt(y, kMeter);
        bar.moveTop(y + px(kLine));
        layMeter(m_writer, bar, share, m_card.dimmed ? theme().text3 : theme().accent);
    }

    SheetWriter &m_writer;
    const GpuCard &m_card;
    QRectF m_rect;
    QColor m_colour;
};

} // namespace

double gpuCardHeight(const GpuCard &card)
{
    return kHead + 6 + static_cast<double>(card.lines.size()) * kLine + (card.showsLoad ? 2 * kMeterStep + 4 : 0);
}

void layGpuCard(SheetWriter &writer, const GpuCard &card, const QRectF &rect)
{
    Card(writer, card, rect).lay();
}

void layMeter(SheetWriter &writer, const QRectF &rect, double share, const QColor &colour)
{
    const Theme &theme = writer.theme();
    writer.box({.rect = rect, .fill = theme.surface2});
    QRectF filled = rect;
    filled.setWidth(rect.width() * std::clamp(share, 0.0, 1.0));
    if (filled.width() > 0)
        writer.box({.rect = filled, .fill = colour});
    writer.box({.rect = rect, .outline = theme.border, .line = std::max(1.0, writer.px(1))});
}

CardRows cardRows(const SheetWriter &writer, int cards, double width)
{
    const double gap = writer.px(kCardGap);
    const int most = std::max(1, static_cast<int>((width + gap) / (writer.px(kLeastCardWidth) + gap)));
    CardRows rows;
    rows.rows = std::max(1, (cards + most - 1) / most);
    rows.columns = std::max(1, (cards + rows.rows - 1) / rows.rows);
    rows.width = std::min(writer.px(kWidest), (width - (rows.columns - 1) * gap) / rows.columns);
    return rows;
}

} // namespace shardscope
