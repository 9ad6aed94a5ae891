// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/scheme_icon.h"

#include <QPainter>
#include <QPixmap>
#include <algorithm>
#include <vector>

namespace shardscope {

namespace {

constexpr int kRanks = 4;

/// One matrix of the picture, its box in shares of the whole.
struct Part {
    enum class Cut {
        Columns,
        Rows,
        Replica, ///< whole on every rank
        OneRank, ///< whole on rank `rank` alone
        Shared,  ///< columns, each on two ranks
        Addends, ///< hatched: full-size addends
    } cut = Cut::Columns;
    QRectF box;
    int rank = 0;
};
using Parts = std::vector<Part>;
using Cut = Part::Cut;

Parts columnThenRow(double top, double height)
{
    return {{Cut::Columns, {0, top, 0.55, height}}, {Cut::Rows, {0.65, top, 0.35, height}}};
}

/// Three narrow column cuts for Q, K and V, and the row cut of the output.
Parts attentionParts(double top, double height, Cut keysAndValues = Cut::Columns)
{
    return {{Cut::Columns, {0, top, 0.2, height}},
            {keysAndValues, {0.24, top, 0.15, height}},
            {keysAndValues, {0.43, top, 0.15, height}},
            {Cut::Rows, {0.66, top, 0.34, height}}};
}

Parts together(Parts first, const Parts &second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// Parameters, gradients and optimizer states of a replica, from left to right: cut from the right end on.
Parts zeroParts(int stage)
{
    const auto cut = [&](int from) { return stage >= from ? Cut::Rows : Cut::Replica; };
    return {{cut(3), {0, 0, 0.3, 1}}, {cut(2), {0.36, 0, 0.24, 1}}, {cut(1), {0.66, 0, 0.34, 1}}};
}

Parts pipelineParts()
{
    Parts parts;
    for (int stage = 0; stage < kRanks; ++stage)
        parts.push_back({Cut::OneRank, {0.26 * stage, 0.06 * stage, 0.21, 0.8}, stage});
    return parts;
}

Parts partsOf(Scheme scheme)
{
    switch (scheme) {
    case Scheme::Column:
    case Scheme::BugAllReduceColumns:
        return {{Cut::Columns, {0.15, 0, 0.7, 1}}};
    case Scheme::Row:
    case Scheme::BugRowBiasEachRank:
    case Scheme::BugAverageInsteadOfSum:
        return {{Cut::Rows, {0.15, 0, 0.7, 1}}};
    case Scheme::BugConcatPartials:
        return {{Cut::Rows, {0, 0, 0.48, 1}}, {Cut::Addends, {0.56, 0, 0.44, 1}}};
    case Scheme::Mlp:
    case Scheme::BugAllReduceWeightGradient:
    case Scheme::BugMissingInputGradientReduce:
        return columnThenRow(0, 1);
    case Scheme::BugNonlinearityOnPartial:
        return {{Cut::Rows, {0, 0, 0.48, 1}}, {Cut::Addends, {0.56, 0, 0.44, 1}}};
    case Scheme::BugNaiveExercise:
        return {{Cut::Columns, {0, 0, 0.48, 1}}, {Cut::Addends, {0.56, 0, 0.44, 1}}};
    case Scheme::Attention:
        return attentionParts(0, 1);
    case Scheme::BugUnshardedHeads:
        return attentionParts(0, 1, Cut::Addends);
    case Scheme::BugUnreducedKv:
        return attentionParts(0, 1, Cut::Shared);
    case Scheme::Block:
        return together(attentionParts(0, 0.44), columnThenRow(0.56, 0.44));
    case Scheme::Embedding:
        return {{Cut::Rows, {0.3, 0, 0.4, 1}}};
    case Scheme::Logits:
        return {{Cut::Columns, {0, 0.2, 1, 0.6}}};
    case Scheme::DataParallel:
        return zeroParts(0);
    case Scheme::Zero1:
        return zeroParts(1);
    case Scheme::Zero2:
        return zeroParts(2);
    case Scheme::Zero3:
        return zeroParts(3);
    case Scheme::Pipeline:
        return pipelineParts();
    }
    return {};
}

void outline(QPainter &painter, const QRectF &box, const QColor &colour)
{
    painter.setPen(QPen(colour, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
}

/// Slice `index` of `count`, on whole pixels.
QRectF slice(const QRectF &box, bool columns, int index, int count)
{
    const auto at = [&](double begin, double length, int i) { return std::round(begin + length * i / count); };
    if (columns) {
        const double left = at(box.left(), box.width(), index);
        return {left, box.top(), at(box.left(), box.width(), index + 1) - left, box.height()};
    }
    const double top = at(box.top(), box.height(), index);
    return {box.left(), top, box.width(), at(box.top(), box.height(), index + 1) - top};
}

void paintSlices(QPainter &painter, const QRectF &box, bool columns, int count, const Theme &theme)
{
    for (int i = 0; i < count; ++i)
        painter.fillRect(slice(box, columns, i, count), theme.rank(i * kRanks / count, kRanks));
}

void paintAddends(QPainter &painter, const QRectF &box, const Theme &theme)
{
    painter.fillRect(box, theme.surface2);
    painter.save();
    painter.setClipRect(box);
    painter.setPen(QPen(theme.rank(0, kRanks), 1.2));
    for (double x = box.left() - box.height(); x < box.right(); x += 4)
        painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
    painter.restore();
}

void paintPart(QPainter &painter, const QRectF &box, const Part &part, const Theme &theme)
{
    switch (part.cut) {
    case Cut::Columns:
    case Cut::Rows:
        paintSlices(painter, box, part.cut == Cut::Columns, kRanks, theme);
        break;
    case Cut::Shared:
        paintSlices(painter, box, true, 2, theme);
        outline(painter, box.adjusted(2, 2, -2, -2), theme.surface);
        break;
    case Cut::Replica:
        painter.fillRect(box, theme.surface2);
        outline(painter, box.adjusted(2, 2, -2, -2), theme.text2);
        break;
    case Cut::OneRank:
        painter.fillRect(box, theme.rank(part.rank, kRanks));
        break;
    case Cut::Addends:
        paintAddends(painter, box, theme);
        break;
    }
    outline(painter, box, theme.text2);
}

void paintCross(QPainter &painter, const QRectF &area, const Theme &theme)
{
    const double size = area.height() * 0.5;
    const QRectF box(area.right() - size, area.bottom() - size, size, size);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.surface);
    painter.drawEllipse(box.adjusted(-1.5, -1.5, 1.5, 1.5));
    painter.setBrush(theme.error);
    painter.drawEllipse(box);
    painter.setPen(QPen(theme.surface, std::max(1.4, size * 0.16), Qt::SolidLine, Qt::RoundCap));
    const double in = size * 0.3;
    painter.drawLine(box.topLeft() + QPointF(in, in), box.bottomRight() - QPointF(in, in));
    painter.drawLine(box.topRight() + QPointF(-in, in), box.bottomLeft() + QPointF(in, -in));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace

void paintSchemeIcon(QPainter &painter, const QRectF &area, Scheme scheme, const Theme &theme)
{
    const QRectF inside = area.adjusted(1, 2, -1, -2);
    for (const Part &part : partsOf(scheme)) {
        const QRectF box(inside.x() + part.box.x() * inside.width(), inside.y() + part.box.y() * inside.height(),
                         part.box.width() * inside.width(), part.box.height() * inside.height());
        paintPart(painter, box.toRect(), part, theme);
    }
    if (isBug(scheme))
        paintCross(painter, area, theme);
}

QIcon schemeIcon(Scheme scheme, const Theme &theme, int height)
{
    const QSize size(static_cast<int>(std::lround(height * kSchemeIconAspect)), height);
    QIcon icon;
    for (const int ratio : {1, 2, 3}) {
        QPixmap pixmap(size * ratio);
        pixmap.setDevicePixelRatio(ratio);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paintSchemeIcon(painter, QRectF(QPointF(), QSizeF(size)), scheme, theme);
        painter.end();
        icon.addPixmap(pixmap);
        // The list draws the icon of what is under the mouse in the same colours.
        icon.addPixmap(pixmap, QIcon::Selected);
    }
    return icon;
}

} // namespace shardscope
