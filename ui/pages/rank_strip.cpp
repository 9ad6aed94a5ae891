// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/pages/hardware_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr double kPadding = 8; ///< design pixels
constexpr double kChip = 20;
constexpr double kChipWidth = 54;
constexpr double kChipGap = 6;
constexpr int kMostChips = 64;
constexpr std::size_t kMostHosts = 8;
constexpr double kHost = 44;

class Strip
{
public:
    Strip(SheetWriter &writer, const HardwareValues &values, const QRectF &room)
        : m_writer(writer), m_values(values), m_room(room)
    {
    }

    double lay()
    {
        const bool chips = m_values.onGpu.empty() && m_values.ranks <= kMostChips;
        const SheetWriter::Letters letters{13, 400, {}};
        const double width = m_room.width() - 2 * px(kPadding);
        const QString words = ranksWords(m_values);
        const double text = m_writer.heightOf(words, letters, width) + 1;
        const int columns = std::max(1, static_cast<int>((width + px(kChipGap)) / px(kChipWidth + kChipGap)));
        const int rows = chips ? (m_values.ranks + columns - 1) / columns : 0;
        const double height = 2 * px(kPadding) + text + rows * px(kChip + kChipGap);
        const QRectF box(m_room.left(), m_room.top(), m_room.width(), height);
        m_writer.box({.rect = box,
                      .fill = theme().surface,
                      .outline = theme().text3,
                      .line = px(1.2),
                      .radius = px(8),
                      .dashed = !m_values.ran});
        m_writer.spot(box, words);
        const double left = box.left() + px(kPadding);
        m_writer.paragraph({left, box.top() + px(kPadding), width, text}, words, letters);
        for (int rank = 0; rank < m_values.ranks && chips; ++rank) {
            const double x = left + rank % columns * px(kChipWidth + kChipGap);
            const double y = box.top() + px(kPadding) + text + px(kChipGap) + rank / columns * px(kChip + kChipGap);
            layChip(rank, {x, y, px(kChipWidth), px(kChip)});
        }
        return box.bottom();
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    void layChip(int rank, const QRectF &rect)
    {
        const QColor colour = theme().rank(rank, m_values.ranks);
        const QColor fill = m_values.ran ? colour : mixed(theme().surface, colour, 0.16);
        m_writer.box({.rect = rect,
                      .fill = fill,
                      .outline = visibleOutline(colour, theme().surface),
                      .line = px(1.2),
                      .radius = px(4),
                      .dashed = !m_values.ran});
        m_writer.text(rect, tr("rank %1").arg(rank), {11.5, 600, Theme::textOn(fill)}, Qt::AlignCenter);
    }

    SheetWriter &m_writer;
    const HardwareValues &m_values;
    QRectF m_room;
};

/// A box for each host with its ranks.
double layHosts(SheetWriter &writer, const std::vector<Host> &hosts, const QRectF &room)
{
    const Theme &theme = writer.theme();
    const std::size_t shown = std::min(hosts.size(), kMostHosts);
    const auto columns = static_cast<double>(std::min<std::size_t>(shown, 4));
    const double gap = writer.px(kChipGap);
    const double width = (room.width() - (columns - 1) * gap) / columns;
    double bottom = room.top();
    for (std::size_t i = 0; i < shown; ++i) {
        const QRectF box(room.left() + static_cast<double>(i % 4) * (width + gap),
                         room.top() + static_cast<double>(i / 4) * (writer.px(kHost) + gap), width, writer.px(kHost));
        const QString name = QString::fromStdString(hosts[i].name);
        const QString ranks = rankListWords(hosts[i].ranks);
        writer.box({.rect = box,
                    .fill = theme.surface2,
                    .outline = theme.border,
                    .line = writer.px(1),
                    .radius = writer.px(6)});
        const QRectF half = box.adjusted(gap, writer.px(3), -gap, -writer.px(22));
        writer.text(half, name, {12.5, 600, {}});
        writer.text(half.translated(0, writer.px(19)), ranks, {12.5, 400, {}});
        writer.spot(box, tr("Host %1: %2").arg(name, ranks));
        bottom = box.bottom();
    }
    const QString words =
        hosts.size() > shown
            ? tr("and %1; the drawing above is of one of them")
                  .arg(counted(static_cast<qint64>(hosts.size() - shown), tr("%1 host more|%1 hosts more")))
            : tr("The ranks ran on %1 hosts; the drawing above is of one of them.").arg(hosts.size());
    const SheetWriter::Letters letters{12.5, 400, theme.text2};
    const double height = writer.heightOf(words, letters, room.width()) + 1;
    writer.paragraph({room.left(), bottom + gap, room.width(), height}, words, letters);
    return bottom + gap + height;
}

} // namespace

double layRanks(SheetWriter &writer, const HardwareValues &values, const QRectF &room)
{
    if (values.hosts.size() > 1)
        return layHosts(writer, values.hosts, room);
    return values.ranks > 0 ? Strip(writer, values, room).lay() : room.top();
}

} // namespace shardscope
