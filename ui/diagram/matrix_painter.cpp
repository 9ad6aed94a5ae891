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
constexpr int kMostCuts = 16;
constexpr double kNarrowestCut = 5;
constexpr double kRoomyMatrix = 40;

QRectF slice(const QRectF &box, const MatrixView &view, double begin, double end)
{
    if (view.cutColumns)
        return {box.x() + begin * box.width(), box.y(), (end - begin) * box.width(), box.height()};
    return {box.x(), box.y() + begin * box.height(), box.width(), (end - begin) * box.height()};
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

void paintCuts(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme, double u)
{
    const double width = (view.cutColumns ? box.width() : box.height()) / view.ranks;
    if (view.ranks > kMostCuts || width < kNarrowestCut * u)
        return;
    painter.setPen(QPen(theme.text3, std::max(1.0, 0.9 * u), Qt::DotLine));
    for (int i = 1; i < view.ranks; ++i) {
        const QRectF cut = slice(box, view, view.cutAt(i), view.cutAt(i));
        painter.drawLine(cut.topLeft(), view.cutColumns ? cut.bottomLeft() : cut.topRight());
    }
}

/// Thin lines between all ranks' shards, where they are wide enough to keep their colour.
void paintSeams(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme)
{
    if ((view.cutColumns ? box.width() : box.height()) < 4.0 * view.ranks)
        return;
    painter.setPen(QPen(theme.surface, 1));
    for (int i = 1; i < view.ranks; ++i) {
        const QRectF cut = slice(box, view, view.cutAt(i), view.cutAt(i));
        painter.drawLine(cut.topLeft(), view.cutColumns ? cut.bottomLeft() : cut.topRight());
    }
}

void paintShard(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme, double u)
{
    strokeRect(painter, box, QPen(theme.text3, std::max(1.0, 1.1 * u), Qt::DashLine));
    if (view.rank == kAllRanks) {
        for (int r = 0; r < view.ranks; ++r) {
            const QColor fill = passShade(theme.rank(r, view.ranks), view.gradient, theme);
            painter.fillRect(slice(box, view, view.cutAt(r), view.cutAt(r + 1)), fill);
        }
        paintSeams(painter, box, view, theme);
        strokeRect(painter, box, QPen(theme.text3, std::max(1.0, 1.1 * u)));
        return;
    }
    paintCuts(painter, box, view, theme, u);
    const QColor fill = passShade(theme.rank(view.rank, view.ranks), view.gradient, theme);
    QRectF held = heldRect(box, view);
    held.setSize({std::max(held.width(), 1.5), std::max(held.height(), 1.5)});
    painter.fillRect(held, fill);
    strokeRect(painter, held, QPen(lineColour(fill, theme), std::max(1.0, 1.5 * u)));
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
    // All ranks' addends lie behind each other, like sheets.
    for (int sheet = all ? 2 : 0; sheet >= 0; --sheet) {
        const double shift = sheet * 4 * u;
        const QRectF page = all ? box.adjusted(shift, -shift + 8 * u, shift - 8 * u, -shift) : box;
        painter.fillRect(page, mixed(theme.surface, colour, 0.14));
        hatch(painter, page, QPen(lineColour(colour, theme), std::max(1.0, 1.3 * u)), std::max(5.0, 7 * u));
        strokeRect(painter, page, QPen(lineColour(colour, theme), std::max(1.0, 1.9 * u)));
    }
    if (badge)
        paintBadge(painter, box, lineColour(colour, theme), theme, u);
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

QRectF heldRect(const QRectF &box, const MatrixView &view)
{
    if (view.look != MatrixView::Look::Shard || view.rank == kAllRanks)
        return box;
    return slice(box, view, view.cutAt(view.rank), view.cutAt(view.rank + 1));
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
    const QRectF box(area.toRect());
    switch (view.look) {
    case MatrixView::Look::Shard:
        return paintShard(painter, box, view, theme, u);
    case MatrixView::Look::Partial:
        return paintPartial(painter, box, view, theme, u, badge);
    case MatrixView::Look::Whole:
    case MatrixView::Look::Replica:
        return paintReplica(painter, box, view, theme, u);
    }
}

} // namespace shardscope
