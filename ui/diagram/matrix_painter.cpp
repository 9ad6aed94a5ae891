// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/matrix_painter.h"

#include "ui/charts/chart_style.h"

#include <QLineF>
#include <QPainter>
#include <QVector>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

// More dotted cuts than these make grey.
constexpr std::size_t kMostCuts = 16;
constexpr double kNarrowestCut = 5;
constexpr double kNarrowestSeam = 4;
constexpr double kSmallestTile = 7;
constexpr int kMostSheets = 2;
constexpr double kRoomyMatrix = 40;

/// A share of the whole, in pixels.
QRectF within(const QRectF &box, const QRectF &share)
{
    return {box.x() + share.x() * box.width(), box.y() + share.y() * box.height(), share.width() * box.width(),
            share.height() * box.height()};
}

void strokeRect(QPainter &painter, const QRectF &box, const QPen &pen)
{
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
}

/// Diagonals cut at the box by arithmetic: a clip path per matrix would cost more than the lines.
void hatch(QPainter &painter, const QRectF &box, const QPen &pen, double spacing)
{
    QVector<QLineF> lines;
    for (double d = spacing / 2; d < box.width() + box.height(); d += spacing) {
        const double x0 = std::min(d, box.width());
        const double y1 = std::min(d, box.height());
        lines.append(QLineF(box.x() + x0, box.y() + (d - x0), box.x() + (d - y1), box.y() + y1));
    }
    painter.setPen(pen);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.drawLines(lines);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// Dark rank colours vanish on a dark surface, so lines take a lighter tone there.
QColor lineColour(const QColor &colour, const Theme &theme)
{
    const bool dark = theme.surface.lightnessF() < 0.3;
    return dark ? mixed(colour, Qt::white, 0.28) : mixed(colour, Qt::black, 0.28);
}

/// Lines where slices meet; none where they would lie closer than `closest`.
void paintCuts(QPainter &painter, const QRectF &box, const MatrixView &view, double closest)
{
    const auto roomy = [&](const std::vector<double> &cuts, double length) {
        return length / static_cast<double>(cuts.size() + 1) >= closest;
    };
    if (roomy(view.columnCuts, box.width())) {
        for (const double cut : view.columnCuts) {
            const double x = box.x() + cut * box.width();
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
        }
    }
    if (roomy(view.rowCuts, box.height())) {
        for (const double cut : view.rowCuts) {
            const double y = box.y() + cut * box.height();
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
        }
    }
}

void paintDottedCuts(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme, double u)
{
    if (view.columnCuts.size() + view.rowCuts.size() >= kMostCuts)
        return;
    painter.setPen(QPen(theme.text3, std::max(1.0, 0.9 * u), Qt::DotLine));
    paintCuts(painter, box, view, kNarrowestCut * u);
}

/// The tensor's frame where this rank has only a slice of it, or nothing.
void paintFrame(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme, double u)
{
    strokeRect(painter, box, QPen(theme.text3, std::max(1.0, 1.1 * u), Qt::DashLine));
    paintDottedCuts(painter, box, view, theme, u);
}

void paintAllShards(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme, double u)
{
    for (const MatrixView::Piece &piece : view.pieces)
        painter.fillRect(within(box, piece.box), passShade(theme.rank(piece.rank, view.ranks), view.gradient, theme));
    // Thin lines between the shards, where they are wide enough to keep their colour.
    painter.setPen(QPen(theme.surface, 1));
    paintCuts(painter, box, view, kNarrowestSeam);
    strokeRect(painter, box, QPen(theme.text3, std::max(1.0, 1.1 * u)));
}

void paintShard(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme, double u)
{
    if (view.rank == kAllRanks)
        return paintAllShards(painter, box, view, theme, u);
    paintFrame(painter, box, view, theme, u);
    const QColor fill = passShade(theme.rank(view.owner, view.ranks), view.gradient, theme);
    QRectF held = heldRect(box, view);
    held.setSize({std::max(held.width(), 1.5), std::max(held.height(), 1.5)});
    painter.fillRect(held, fill);
    strokeRect(painter, held, QPen(lineColour(fill, theme), std::max(1.0, 1.5 * u)));
    if (!view.shared)
        return;
    // A replica of the slice: the double outline of replicas, in a colour that the fill leaves visible.
    const double inset = std::min(3.6 * u, std::min(held.width(), held.height()) * 0.28);
    strokeRect(painter, held.adjusted(inset, inset, -inset, -inset), QPen(Theme::textOn(fill), std::max(1.0, 1.1 * u)));
}

void paintReplica(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme, double u)
{
    painter.fillRect(box, view.gradient ? mixed(theme.surface2, theme.text3, 0.35) : theme.surface2);
    const QPen pen(theme.text2, std::max(1.0, 1.1 * u));
    strokeRect(painter, box, pen);
    if (view.look == MatrixView::Look::Whole)
        return;
    const double inset = std::min(3.2 * u, std::min(box.width(), box.height()) * 0.28);
    strokeRect(painter, box.adjusted(inset, inset, -inset, -inset), pen);
}

/// The badge of a narrow matrix has no rim: it would hide the little hatch that there is.
void paintBadge(QPainter &painter, const QRectF &box, const QColor &line, const Theme &theme, double u)
{
    const QRectF badge = partialBadge(box, u);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(box.width() < kRoomyMatrix * u ? QPen(Qt::NoPen) : QPen(line, std::max(1.0, u)));
    painter.setBrush(theme.surface);
    painter.drawRoundedRect(badge, badge.height() / 2, badge.height() / 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintPartial(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme, double u,
                  bool badge)
{
    const bool all = view.rank == kAllRanks;
    const QColor colour = passShade(theme.rank(std::max(view.rank, 0), view.ranks), view.gradient, theme);
    const QRectF whole = box;
    if (view.held != QRectF(0, 0, 1, 1))
        paintFrame(painter, whole, view, theme, u);
    // All ranks' addends lie behind each other, like sheets.
    for (int sheet = all ? 2 : 0; sheet >= 0; --sheet) {
        const double shift = sheet * 4 * u;
        const QRectF page = all ? box.adjusted(shift, -shift + 8 * u, shift - 8 * u, -shift) : within(whole, view.held);
        painter.fillRect(page, mixed(theme.surface, colour, 0.14));
        hatch(painter, page, QPen(lineColour(colour, theme), std::max(1.0, 1.3 * u)), std::max(5.0, 7 * u));
        strokeRect(painter, page, QPen(lineColour(colour, theme), std::max(1.0, 1.9 * u)));
    }
    if (badge)
        paintBadge(painter, heldRect(box, view), lineColour(colour, theme), theme, u);
}

/// One tile a head and sequence, its upper triangle veiled: a token looks at itself and at earlier ones.
void paintTiles(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme)
{
    const double width = box.width() / view.tileColumns;
    const double height = box.height() / view.tileRows;
    if (width < kSmallestTile || height < kSmallestTile)
        return;
    const bool causal = view.rows > view.tileRows;
    const QRectF held = heldRect(box, view);
    QColor veil = theme.surface;
    veil.setAlphaF(0.55f);
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (int row = 0; row < view.tileRows; ++row) {
        for (int column = 0; column < view.tileColumns; ++column) {
            const QRectF tile(box.x() + column * width, box.y() + row * height, width, height);
            if (!held.adjusted(-1, -1, 1, 1).contains(tile))
                continue;
            painter.setPen(QPen(theme.surface, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(tile);
            painter.setPen(Qt::NoPen);
            painter.setBrush(veil);
            if (causal)
                painter.drawPolygon(QPolygonF{tile.topLeft(), tile.topRight(), tile.bottomRight()});
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

double sheetStep(const QRectF &box, double u)
{
    return std::min(4 * u, std::min(box.width(), box.height()) * 0.12);
}

int sheetsBehind(const MatrixView &view)
{
    return std::min(view.stack - 1, kMostSheets);
}

/// The other tensors of the message behind this one.
void paintSheets(QPainter &painter, const QRectF &box, int sheets, const Theme &theme, double u)
{
    const double step = sheetStep(box, u);
    for (int sheet = sheets; sheet > 0; --sheet) {
        const QRectF page =
            box.adjusted(step * sheet, step * (sheets - sheet), -step * (sheets - sheet), -step * sheet);
        painter.fillRect(page, theme.surface2);
        strokeRect(painter, page, QPen(theme.text3, std::max(1.0, u)));
    }
}

} // namespace

QColor passShade(const QColor &colour, bool gradient, const Theme &theme)
{
    if (!gradient)
        return colour;
    const bool dark = theme.surface.lightnessF() < 0.3;
    if (dark)
        return qGray(colour.rgb()) > 190 ? mixed(colour, Qt::black, 0.35) : mixed(colour, Qt::white, 0.42);
    return colour.lightnessF() < 0.25 ? mixed(colour, Qt::white, 0.38) : mixed(colour, Qt::black, 0.36);
}

QRectF frontSheet(const QRectF &box, const MatrixView &view, double u)
{
    const double shift = sheetsBehind(view) * sheetStep(box, u);
    return box.adjusted(0, shift, -shift, 0);
}

QRectF heldRect(const QRectF &box, const MatrixView &view)
{
    const bool whole = view.rank == kAllRanks || view.held == QRectF(0, 0, 1, 1);
    return whole ? box : within(box, view.held);
}

QRectF partialBadge(const QRectF &box, double u)
{
    // Wider than a narrow matrix rather than illegible.
    QRectF badge(0, 0, 32 * u, std::clamp(box.height() * 0.6, 12 * u, 17 * u));
    badge.moveCenter(box.center());
    return badge;
}

void paintMatrix(QPainter &painter, const QRectF &area, const MatrixView &view, const Theme &theme, double u,
                 bool badge)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    // Whole pixels: else one side of a thin outline is drawn twice as wide as the other.
    QRectF box(area.toRect());
    if (const int sheets = sheetsBehind(view)) {
        paintSheets(painter, box, sheets, theme, u);
        box = frontSheet(box, view, u).toRect();
        painter.fillRect(box, theme.surface);
    }
    switch (view.look) {
    case MatrixView::Look::Shard:
        paintShard(painter, box, view, theme, u);
        break;
    case MatrixView::Look::Partial:
        paintPartial(painter, box, view, theme, u, badge);
        break;
    case MatrixView::Look::Whole:
    case MatrixView::Look::Replica:
        paintReplica(painter, box, view, theme, u);
        break;
    case MatrixView::Look::Absent:
        paintFrame(painter, box, view, theme, u);
        return;
    }
    if (view.tileColumns > 0)
        paintTiles(painter, box, view, theme);
}

} // namespace shardscope
