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
    const Term none{Term::Kind::Operator, kNoTensor, false, {}, {}, 1, {}};
    Term sign = none;
    for (const Term &term : equation) {
        if (term.kind != Term::Kind::Matrix) {
            sign = term;
            continue;
        }
        GridRow row{term, sign, termView(*frame.plan, term, kAllRanks)};
        row.rowsShare = row.view.vector ? kGridVectorShare : sideShare(row.view.rows, longest);
        row.columnsShare = sideShare(row.view.columns, longest);
        rows.push_back(std::move(row));
        sign = none;
    }
    return rows;
}

/// How much is written at each row, and how large.
struct Writing {
    bool oneLine = false;
    double letters = 1;

    [[nodiscard]] double first(const Metrics &m) const { return (oneLine ? m.label : m.label * 1.08) * letters; }
    [[nodiscard]] double second(const Metrics &m) const { return m.small * letters; }
    [[nodiscard]] double gap(const Metrics &m) const { return (oneLine ? 2.5 : 7) * m.u; }
};
/// From the most to the least that still says name, shape and placement.
constexpr Writing kWritings[] = {{false, 1}, {true, 1}, {true, 0.88}, {true, 0.76}};

struct GutterText {
    QString first, second;
    int nameLength = 0;
};

GutterText gutterText(const GridRow &row, const Writing &writing)
{
    const MatrixView &v = row.view;
    // No-break spaces: vector formats drop plain ones where the bold name ends.
    const QString gap = QStringLiteral("\u00a0\u00a0");
    const auto length = static_cast<int>(v.name.size());
    if (writing.oneLine)
        return {v.name + gap + (v.stack > 1 ? v.globalShape : v.localShape) + gap + v.placement, {}, length};
    const QString local = v.stack > 1 ? v.placement : Words::tr("local %1 · %2").arg(v.localShape, v.placement);
    return {v.name + gap + v.globalShape, local, length};
}

QString signText(const Term &sign)
{
    if (sign.kind == Term::Kind::Arrow)
        return QStringLiteral("→");
    return sign.symbol;
}

double gutterWidth(const std::vector<GridRow> &rows, const Metrics &m, const Writing &writing)
{
    double width = 0;
    for (const GridRow &row : rows) {
        const GutterText text = gutterText(row, writing);
        width = std::max({width, textSize(text.first, std::round(writing.first(m)), 400, 0, text.nameLength).width(),
                          textSize(text.second, std::round(writing.second(m)), 400).width()});
    }
    return width + 4;
}

/// The words of one row: sign, name with global shape, local shape with placement.
void placeGutter(DiagramLayout &layout, const DiagramFrame &frame, const GridRow &row, const QRectF &room,
                 double signWidth, const Writing &writing)
{
    const Metrics &m = layout.metrics;
    const GutterText text = gutterText(row, writing);
    const double first = writing.first(m) * (writing.oneLine ? 1.25 : 1.35);
    const double second = text.second.isEmpty() ? 0 : writing.second(m) * 1.4;
    const double word = row.sign.word.isEmpty() || writing.oneLine ? 0 : writing.second(m) * 1.4;
    double y = room.center().y() - (first + second + word) / 2;
    const QRectF signBox(room.x(), y + word, signWidth, first);
    layout.texts.push_back(fitted({signBox, signText(row.sign), m.label * (writing.oneLine ? 1.2 : 1.7), 500,
                                   frame.theme->text2, Qt::AlignCenter},
                                  8 * m.u));
    const double x = room.x() + signWidth;
    const double width = room.width() - signWidth;
    if (word > 0)
        layout.texts.push_back(
            fitted({{x, y, width, word}, row.sign.word, writing.second(m), 500, frame.theme->text2}, 7 * m.u));
    y += word;
    layout.texts.push_back(fitted({{x, y, width, first},
                                   text.first,
                                   writing.first(m),
                                   400,
                                   frame.theme->text,
                                   Qt::AlignLeft | Qt::AlignVCenter,
                                   false,
                                   text.nameLength},
                                  7 * m.u));
    if (second > 0)
        layout.texts.push_back(
            fitted({{x, y + first, width, second}, text.second, writing.second(m), 400, frame.theme->text2}, 7 * m.u));
}

double labelHeight(const GridRow &row, const Metrics &m, const Writing &writing)
{
    if (writing.oneLine)
        return writing.first(m) * 1.25 + m.u;
    return writing.first(m) * 1.35 + writing.second(m) * 1.4 * (row.sign.word.isEmpty() ? 1 : 2) + 2 * m.u;
}

/// Heights of the rows at a scale; the sum.
double rowHeights(std::vector<GridRow> &rows, double scale, const Metrics &m, const Writing &writing)
{
    double total = 0;
    for (GridRow &row : rows) {
        row.height = std::max(row.rowsShare * scale, labelHeight(row, m, writing));
        total += row.height;
    }
    return total;
}

/// The equation's rows over the cards of one line of cards: those whose cells begin at the same height.
void placeRows(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<GridRow> &rows,
               const std::vector<QRectF> &cells, const std::vector<int> &ranks, const QRectF &gutter, double signWidth,
               const Writing &writing, double scale, double stretch, double spare)
{
    double y = gutter.y();
    for (const GridRow &row : rows) {
        const double rowHeight = row.height + spare;
        placeGutter(layout, frame, row, {gutter.x(), y, gutter.width(), rowHeight}, signWidth, writing);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (cells[i].y() != gutter.y() || !takesPart(frame, layout, ranks[i]))
                continue;
            QRectF box(0, 0, row.columnsShare * scale, row.rowsShare * scale * stretch);
            box.moveCenter({cells[i].center().x(), y + rowHeight / 2});
            layout.matrices.push_back({box, termView(*frame.plan, row.term, ranks[i])});
        }
        y += rowHeight + writing.gap(layout.metrics);
    }
}

bool layoutGridWritten(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<Term> &equation,
                       const QRectF &body, const std::vector<int> &ranks, const Writing &writing)
{
    const Metrics &m = layout.metrics;
    std::vector<GridRow> rows = rowsOf(frame, equation);
    const double signWidth = m.label * 1.9;
    const double gutter = std::min(gutterWidth(rows, m, writing) + signWidth + 6 * m.u, body.width() * 0.34);
    const std::vector<QRectF> cells = layoutCards(layout, frame, body.adjusted(gutter, 0, 0, 0), ranks);
    const QRectF cell = cells.front();
    const double height = cell.height() - writing.gap(m) * static_cast<double>(rows.size() - 1);
    if (cell.width() < 40 * m.u || rowHeights(rows, 0, m, writing) > height)
        return false;

    double scale = cell.width();
    for (int i = 0; i < 40 && rowHeights(rows, scale, m, writing) > height; ++i)
        scale *= 0.95;
    double stretch = 1;
    while (stretch < mostStretch(cells.size()) && rowHeights(rows, scale * (stretch + 0.05), m, writing) <= height)
        stretch += 0.05;
    const double spare = (height - rowHeights(rows, scale * stretch, m, writing)) / static_cast<double>(rows.size());
    if (spare < 0)
        return false;
    double line = -1;
    for (const QRectF &each : cells) {
        if (each.y() <= line)
            continue;
        line = each.y();
        placeRows(layout, frame, rows, cells, ranks, {body.x(), line, gutter - 6 * m.u, each.height()}, signWidth,
                  writing, scale, stretch, spare);
    }
    return true;
}

} // namespace

bool layoutEquationGrid(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<Term> &equation,
                        const QRectF &body, const std::vector<int> &ranks)
{
    for (const Writing &writing : kWritings) {
        DiagramLayout attempt = layout;
        if (layoutGridWritten(attempt, frame, equation, body, ranks, writing)) {
            layout = std::move(attempt);
            return true;
        }
    }
    return false;
}

} // namespace shardscope
