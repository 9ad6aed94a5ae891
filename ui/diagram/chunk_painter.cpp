// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/chunk_painter.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

/// Cells are filled on whole device pixels without antialiasing: stripes of equal width, and fast.
void fillStripes(QPainter &painter, const QRectF &box, const ChunkState &state, const Theme &theme)
{
    const double width = box.width() / static_cast<double>(state.members.size());
    for (std::size_t slot = 0; slot < state.members.size(); ++slot) {
        if ((state.held >> slot & 1U) == 0)
            continue;
        const double left = std::round(box.x() + static_cast<double>(slot) * width);
        const double right = std::max(left + 1, std::round(box.x() + static_cast<double>(slot + 1) * width));
        painter.fillRect(QRectF(left, box.y(), right - left, box.height()),
                         theme.rank(state.members[slot], state.ranks));
    }
}

void outline(QPainter &painter, const QRectF &box, const QPen &pen, double radius)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box, radius, radius);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace

void paintChunk(QPainter &painter, const QRectF &box, const ChunkState &state, const CollectiveScene &collective,
                const Theme &theme, double u)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double inset = 0.6 * u;
    const QRectF inside = box.adjusted(inset, inset, -inset, -inset);
    painter.fillRect(inside, theme.surface2);
    if (!collective.gathers())
        fillStripes(painter, inside, state, theme);
    else if (state.held != 0)
        painter.fillRect(
            inside,
            theme.rank(state.members[collective.handsOn() ? 0 : static_cast<std::size_t>(state.chunk)], state.ranks));
    if (state.leftover) {
        QColor veil = theme.surface;
        veil.setAlphaF(0.72f);
        painter.fillRect(inside, veil);
    }
    const double radius = 2.5 * u;
    if (state.receiving) {
        const Transfer like{0, 0, 0, 1, state.accumulates};
        outline(painter, box.adjusted(-2.4 * u, -2.0 * u, 2.4 * u, 2.0 * u),
                QPen(transferColour(collective, like, theme), 2.2 * u, Qt::DashLine), radius + 1.5 * u);
    }
    if (state.sending)
        outline(painter, box, QPen(theme.text, 2.6 * u), radius);
    else if (state.complete)
        outline(painter, box, QPen(theme.ok, 2.0 * u), radius);
    else
        outline(painter, box, QPen(theme.text3, 1.1 * u, state.held == 0 ? Qt::DotLine : Qt::SolidLine), radius);
}

QRectF countPill(const QRectF &chunk, double u)
{
    QRectF pill(0, 0, std::min(38 * u, chunk.width() - 4), std::min(19 * u, chunk.height() - 4));
    pill.moveCenter(chunk.center());
    return pill;
}

void paintPill(QPainter &painter, const QRectF &pill, const Theme &theme)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.surface);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

QColor transferColour(const CollectiveScene &collective, const Transfer &transfer, const Theme &theme)
{
    if (!transfer.accumulate)
        return theme.allGather;
    return collective.schedule.chunks == 1 ? theme.allReduce : theme.reduceScatter;
}

} // namespace shardscope
