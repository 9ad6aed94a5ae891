// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/diagram/chunk_painter.h"
#include "ui/diagram/matrix_painter.h"
#include "ui/diagram/scene_layers.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <vector>

namespace shardscope {
namespace {

/// Whole pixels, with a hair of background between cells that are large enough.
QRectF cellRect(const MapBox &map, int row, int column)
{
    const QRectF cell = map.cell(row, column);
    const double gap = cell.width() >= 5 && cell.height() >= 5 ? 1 : 0;
    const double left = std::round(cell.left());
    const double top = std::round(cell.top());
    return {left, top, std::max(1.0, std::round(cell.right()) - left - gap),
            std::max(1.0, std::round(cell.bottom()) - top - gap)};
}

std::uint64_t heldAt(const MapBox &map, const Contributions &held, int row, int column)
{
    return held[static_cast<std::size_t>(row)][map.contributors ? 0 : static_cast<std::size_t>(column)];
}

void sendingCell(QPainter &painter, const QRectF &cell, const Theme &theme, double u)
{
    painter.fillRect(cell.adjusted(-u, -u, u, u), theme.text);
    painter.fillRect(cell, theme.allReduce);
}

/// The columns of the map that a message fills: its chunks, or the addends that it carries.
std::vector<int> columnsOf(const DiagramLayout &layout, const Transfer &t)
{
    std::vector<int> columns;
    const std::uint64_t held = layout.collective->before[static_cast<std::size_t>(t.from)].front();
    for (int column = 0; column < layout.map->columns; ++column) {
        const bool inside = layout.map->contributors ? (held >> column & 1U) != 0
                                                     : column >= t.firstChunk && column < t.firstChunk + t.chunkCount;
        if (inside)
            columns.push_back(column);
    }
    return columns;
}

/// More messages than this cannot be told apart: only their effect is shown.
bool tooMany(const DiagramLayout &layout)
{
    return static_cast<int>(layout.collective->transfers().size()) > 2 * layout.map->rows;
}

void outlineCell(QPainter &painter, const QRectF &box, const QColor &colour, double u)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, std::max(1.0, 1.4 * u)));
    painter.drawRect(box);
}

/// The ring's way back leaves at the bottom and comes in at the top.
double rowAt(const DiagramLayout &layout, const Transfer &t, double share)
{
    if (layout.collective->schedule.algorithm == Algorithm::Ring && t.to < t.from)
        return share < 0.5 ? t.from : t.to;
    return t.from + (t.to - t.from) * share;
}

void paintMessage(QPainter &painter, const DiagramLayout &layout, const Theme &theme, const Transfer &t, double share)
{
    const double shift = (rowAt(layout, t, share) - t.from) * layout.map->cell(0, 0).height();
    for (const int column : columnsOf(layout, t)) {
        const QRectF cell = cellRect(*layout.map, t.from, column).translated(0, shift);
        sendingCell(painter, cell, theme, std::min(layout.metrics.u, cell.height() * 0.25));
    }
}

} // namespace

QColor mapColour(const CollectiveScene &c, std::uint64_t held, int column, bool contributors, const Theme &theme)
{
    if (contributors)
        return (held >> column & 1U) != 0 ? theme.allGather : theme.surface2;
    if (c.isComplete(held, column))
        return theme.allGather;
    if (c.gathers())
        return theme.surface2;
    const double share = static_cast<double>(CollectiveScene::count(held)) / c.schedule.ranks;
    return mixed(theme.surface2, theme.reduceScatter, 0.06 + 0.80 * share);
}

void paintMap(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame)
{
    const MapBox &map = *layout.map;
    const CollectiveScene &c = *layout.collective;
    const bool arrived = motionAt(layout.fraction, frame.reducedMotion).arrived;
    const Contributions &shown = arrived ? c.after : c.before;
    for (int row = 0; row < map.rows; ++row) {
        for (int column = 0; column < map.columns; ++column)
            painter.fillRect(cellRect(map, row, column),
                             mapColour(c, heldAt(map, shown, row, column), column, map.contributors, *frame.theme));
    }
    if (arrived || tooMany(layout))
        return;
    for (const Transfer &t : c.transfers()) {
        for (const int column : columnsOf(layout, t))
            outlineCell(painter, cellRect(map, t.from, column), frame.theme->text, layout.metrics.u);
    }
}

void paintMapMotion(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame, const Motion &motion)
{
    const MapBox &map = *layout.map;
    const CollectiveScene &c = *layout.collective;
    const double share = (motion.leave + 3 * motion.travel + motion.enter) / 5;
    painter.save();
    painter.setOpacity(motion.travel);
    for (int row = 0; row < map.rows; ++row) {
        for (int column = 0; column < map.columns; ++column) {
            const std::uint64_t after = heldAt(map, c.after, row, column);
            if (after == heldAt(map, c.before, row, column))
                continue;
            painter.fillRect(cellRect(map, row, column), mapColour(c, after, column, map.contributors, *frame.theme));
        }
    }
    painter.restore();
    if (tooMany(layout))
        return;
    for (const Transfer &t : c.transfers())
        paintMessage(painter, layout, *frame.theme, t, share);
}

} // namespace shardscope
