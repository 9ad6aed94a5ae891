// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/layout_parts.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

/// One matrix of the equation: a row of the table.
struct GridRow {
    Term term;
    Term sign;       ///< the operator before it
    MatrixView view; ///< of all ranks, for the words
    double rowsShare = 0;
    double columnsShare = 0;
    double height = 0;
};

constexpr double kGridVectorShare = 0.09;

std::vector<GridRow> rowsOf(const DiagramFrame &frame, const std::vector<Term> &equation)
{
    const std::int64_t longest = longestSide(*frame.plan, equation);
    std::vector<GridRow> rows;
    Term sign{Term::Kind::Operator, kNoTensor, false, {}, {}};
    for (const Term &term : equation) {
        if (term.kind != Term::Kind::Matrix) {
            sign = term;
            continue;
        }
        GridRow row{term, sign, matrixView(*frame.plan, term.tensor, term.transposed, kAllRanks)};
        row.rowsShare = row.view.vector ? kGridVectorShare : sideShare(row.view.rows, longest);
        row.columnsShare = sideShare(row.view.columns, longest);
        rows.push_back(std::move(row));
        sign = {Term::Kind::Operator, kNoTensor, false, {}, {}};
    }
    return rows;
}

struct GutterText {
    QString first, second;
    int nameLength = 0;
};

GutterText gutterText(const GridRow &row)
{
    const MatrixView &v = row.view;
    // No-break spaces: vector formats drop plain ones where the bold name ends.
    return {v.name + QStringLiteral("\u00a0\u00a0") + v.globalShape,
            Words::tr("local %1 · %2").arg(v.localShape, v.placement), static_cast<int>(v.name.size())};
}

QString signText(const Term &sign)
{
    if (sign.kind == Term::Kind::Arrow)
        return QStringLiteral("→");
    return sign.symbol;
}

double gutterWidth(const std::vector<GridRow> &rows, const Metrics &m)
{
    double width = 0;
    for (const GridRow &row : rows) {
        const GutterText text = gutterText(row);
        width = std::max({width, textSize(text.first, std::round(m.label * 1.08), 400, 0, text.nameLength).width(),
                          textSize(text.second, std::round(m.small), 400).width()});
    }
    return width + 4;
}

/// The words of one row: sign, name with global shape, local shape with placement.
void placeGutter(DiagramLayout &layout, const DiagramFrame &frame, const GridRow &row, const QRectF &room,
                 double signWidth)
{
    const Metrics &m = layout.metrics;
    const GutterText text = gutterText(row);
    const double first = m.label * 1.08 * 1.35;
    const double second = m.small * 1.4;
    const double word = row.sign.word.isEmpty() ? 0 : second;
    double y = room.center().y() - (first + second + word) / 2;
    const QRectF signBox(room.x(), y + word, signWidth, first);
    layout.texts.push_back(
        fitted({signBox, signText(row.sign), m.label * 1.7, 500, frame.theme->text2, Qt::AlignCenter}, 8 * m.u));
    const double x = room.x() + signWidth;
    const double width = room.width() - signWidth;
    if (word > 0)
        layout.texts.push_back(fitted({{x, y, width, word}, row.sign.word, m.small, 500, frame.theme->text2}, 7 * m.u));
    y += word;
    layout.texts.push_back(fitted({{x, y, width, first},
                                   text.first,
                                   m.label * 1.08,
                                   400,
                                   frame.theme->text,
                                   Qt::AlignLeft | Qt::AlignVCenter,
                                   false,
                                   text.nameLength},
                                  8 * m.u));
    layout.texts.push_back(
        fitted({{x, y + first, width, second}, text.second, m.small, 400, frame.theme->text2}, 7 * m.u));
}

double labelHeight(const GridRow &row, const Metrics &m)
{
    return m.label * 1.08 * 1.35 + m.small * 1.4 * (row.sign.word.isEmpty() ? 1 : 2) + 2 * m.u;
}

/// Heights of the rows at a scale; the sum.
double rowHeights(std::vector<GridRow> &rows, double scale, const Metrics &m)
{
    double total = 0;
    for (GridRow &row : rows) {
        row.height = std::max(row.rowsShare * scale, labelHeight(row, m));
        total += row.height;
    }
    return total;
}

} // namespace

bool layoutEquationGrid(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<Term> &equation,
                        const QRectF &body)
{
    const Metrics &m = layout.metrics;
    std::vector<GridRow> rows = rowsOf(frame, equation);
    const double signWidth = m.label * 1.9;
    const double gutter = std::min(gutterWidth(rows, m) + signWidth + 6 * m.u, body.width() * 0.34);
    const std::vector<int> ranks = allRanks(layout.ranks);
    const std::vector<QRectF> cells = layoutCards(layout, frame, body.adjusted(gutter, 0, 0, 0), ranks);
    const QRectF cell = cells.front();
    const double gap = 7 * m.u;
    const double height = cell.height() - gap * static_cast<double>(rows.size() - 1);
    if (cell.width() < 40 * m.u || rowHeights(rows, 0, m) > height)
        return false;

    double scale = cell.width();
    for (int i = 0; i < 40 && rowHeights(rows, scale, m) > height; ++i)
        scale *= 0.95;
    double stretch = 1;
    while (stretch < mostStretch(cells.size()) && rowHeights(rows, scale * (stretch + 0.05), m) <= height)
        stretch += 0.05;
    const double spare = (height - rowHeights(rows, scale * stretch, m)) / static_cast<double>(rows.size());
    if (spare < 0)
        return false;
    double y = cell.y();
    for (const GridRow &row : rows) {
        const double rowHeight = row.height + spare;
        placeGutter(layout, frame, row, {body.x(), y, gutter - 6 * m.u, rowHeight}, signWidth);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            QRectF box(0, 0, row.columnsShare * scale, row.rowsShare * scale * stretch);
            box.moveCenter({cells[i].center().x(), y + rowHeight / 2});
            layout.matrices.push_back({box, matrixView(*frame.plan, row.term.tensor, row.term.transposed, ranks[i])});
        }
        y += rowHeight + gap;
    }
    return true;
}

} // namespace shardscope
