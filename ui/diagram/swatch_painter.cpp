// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/chunk_painter.h"
#include "ui/diagram/matrix_painter.h"
#include "ui/diagram/scene_layers.h"

#include <QPainter>

namespace shardscope {
namespace {

/// A small matrix in the grammar of the large ones: a few columns are enough to show a cut.
MatrixView sample(MatrixView::Look look, int ranks, int columns = 1)
{
    MatrixView view;
    view.look = look;
    view.ranks = ranks;
    view.rows = view.columns = 12;
    view.held = QRectF(0, 0, 1.0 / columns, 1);
    for (int cut = 1; cut < columns; ++cut)
        view.columnCuts.push_back(static_cast<double>(cut) / columns);
    return view;
}

/// Two ranks have the same half.
MatrixView sharedSample(int ranks)
{
    MatrixView view = sample(MatrixView::Look::Shard, ranks, 2);
    view.shared = true;
    return view;
}

void paintOutline(QPainter &painter, const QRectF &box, const Theme &theme, double u)
{
    painter.setPen(QPen(theme.text3, std::max(1.0, 1.1 * u), Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
    painter.setPen(QPen(theme.text3, std::max(1.0, 0.9 * u), Qt::DotLine));
    for (const double share : {1.0 / 3, 2.0 / 3}) {
        const double x = box.x() + share * box.width();
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
    }
}

void paintGradient(QPainter &painter, const QRectF &box, const DiagramLayout &layout, const Theme &theme)
{
    const QColor colour = theme.rank(0, layout.ranks);
    QRectF half = box;
    half.setWidth(box.width() / 2);
    painter.fillRect(half, colour);
    half.moveLeft(box.center().x());
    painter.fillRect(half, passShade(colour, true, theme));
}

void paintRamp(QPainter &painter, const QRectF &box, const DiagramLayout &layout, const Theme &theme)
{
    for (int r = 0; r < layout.ranks; ++r) {
        const double left = box.x() + box.width() * r / layout.ranks;
        painter.fillRect(QRectF(left, box.y(), box.right() - left, box.height()), theme.rank(r, layout.ranks));
    }
}

void paintHatchSample(QPainter &painter, const QRectF &box, const Theme &theme, double u, int ranks)
{
    MatrixView view = sample(MatrixView::Look::Partial, ranks);
    paintMatrix(painter, box, view, theme, u * 0.8, false);
}

/// A chunk in the state that the entry explains.
ChunkState chunkSample(Swatch swatch, const CollectiveScene &c, int ranks)
{
    ChunkState state;
    state.held = 1;
    state.members = c.groups.front();
    state.ranks = ranks;
    switch (swatch) {
    case Swatch::Slot:
        state.held = c.schedule.ranks > 2 ? 5 : 1;
        break;
    case Swatch::Sending:
        state.sending = true;
        break;
    case Swatch::ReceivingAdd:
        state.receiving = state.accumulates = true;
        break;
    case Swatch::ReceivingKeep:
        state.receiving = true;
        state.held = c.gathers() ? 0 : 1;
        break;
    case Swatch::Complete:
        state.complete = true;
        state.held = c.schedule.ranks >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << c.schedule.ranks) - 1;
        break;
    default:
        break;
    }
    return state;
}

std::uint64_t firstRanks(int count)
{
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

void paintMapSample(QPainter &painter, const SwatchBox &swatch, const DiagramLayout &layout, const Theme &theme)
{
    if (swatch.swatch == Swatch::MapSending) {
        painter.fillRect(swatch.box, theme.text);
        painter.fillRect(swatch.box.adjusted(2, 2, -2, -2), theme.allReduce);
        return;
    }
    const CollectiveScene &c = *layout.collective;
    std::uint64_t held = 0;
    if (swatch.swatch == Swatch::MapOwn)
        held = 1;
    else if (swatch.swatch == Swatch::MapHalf)
        held = firstRanks(c.schedule.ranks / 2);
    else if (swatch.swatch == Swatch::MapComplete)
        held = firstRanks(c.schedule.ranks);
    painter.fillRect(swatch.box, mapColour(c, held, 0, layout.map->contributors, theme));
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(swatch.box);
}

} // namespace

void paintSwatch(QPainter &painter, const SwatchBox &swatch, const DiagramLayout &layout, const DiagramFrame &frame)
{
    const Theme &theme = *frame.theme;
    const double u = layout.metrics.u;
    switch (swatch.swatch) {
    case Swatch::InsideHost:
    case Swatch::BetweenHosts:
        painter.setPen(linkPen(theme.text2, 2.2 * u, swatch.swatch == Swatch::BetweenHosts));
        painter.drawLine(
            QLineF(swatch.box.left(), swatch.box.center().y(), swatch.box.right(), swatch.box.center().y()));
        return;
    case Swatch::Whole:
        return paintMatrix(painter, swatch.box, sample(MatrixView::Look::Whole, 1), theme, u);
    case Swatch::Replica:
        return paintMatrix(painter, swatch.box, sample(MatrixView::Look::Replica, 2), theme, u * 0.8);
    case Swatch::Shard:
        return paintMatrix(painter, swatch.box, sample(MatrixView::Look::Shard, 3, 3), theme, u);
    case Swatch::Shared:
        return paintMatrix(painter, swatch.box, sharedSample(layout.ranks), theme, u * 0.7);
    case Swatch::Outline:
        return paintOutline(painter, swatch.box, theme, u);
    case Swatch::Partial:
        return paintHatchSample(painter, swatch.box, theme, u, layout.ranks);
    case Swatch::Ramp:
        return paintRamp(painter, swatch.box, layout, theme);
    case Swatch::Gradient:
        return paintGradient(painter, swatch.box, layout, theme);
    case Swatch::Slot:
    case Swatch::Piece:
    case Swatch::Sending:
    case Swatch::Complete:
        return paintChunk(painter, swatch.box, chunkSample(swatch.swatch, *layout.collective, layout.ranks),
                          *layout.collective, theme, u * 0.8);
    case Swatch::ReceivingAdd:
    case Swatch::ReceivingKeep: // its dashes lie outside of the chunk
        return paintChunk(painter, swatch.box.adjusted(2 * u, 2 * u, -2 * u, -2 * u),
                          chunkSample(swatch.swatch, *layout.collective, layout.ranks), *layout.collective, theme,
                          u * 0.8);
    case Swatch::MapOwn:
    case Swatch::MapHalf:
    case Swatch::MapComplete:
    case Swatch::MapSending:
    case Swatch::MapEmpty:
        return paintMapSample(painter, swatch, layout, theme);
    }
}

} // namespace shardscope
