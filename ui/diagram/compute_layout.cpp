// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/layout_parts.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr int kRowRanks = 5;   ///< more cards leave no room for an equation in a row
constexpr int kGridRanks = 16; ///< more cards say nothing that one example does not say
constexpr double kVectorShare = 0.07;

struct Line {
    QString text;
    double pixels;
    int weight;
    QColor colour;
};

/// What is written at a matrix: name, global shape, local shape, placement.
std::vector<Line> labelOf(const MatrixView &view, const DiagramFrame &frame, const Metrics &m)
{
    const Theme &t = *frame.theme;
    std::vector<Line> lines{{view.name, m.label * 1.1, 600, t.text}, {view.globalShape, m.label, 400, t.text}};
    if (view.holders > 1 && view.look != MatrixView::Look::Absent && view.stack == 1)
        lines.push_back({Words::tr("local %1").arg(view.localShape), m.label, 400, t.text2});
    const bool absent = view.look == MatrixView::Look::Absent;
    lines.push_back({absent ? Words::tr("not here") : view.placement, m.small, 500, t.text3});
    return lines;
}

double widthOf(const std::vector<Line> &lines)
{
    double width = 0;
    for (const Line &line : lines)
        width = std::max(width, textSize(line.text, std::round(line.pixels), line.weight).width());
    return width + 4;
}

double heightOf(const std::vector<Line> &lines)
{
    double height = 0;
    for (const Line &line : lines)
        height += textSize(line.text, std::round(line.pixels), line.weight).height();
    return height;
}

/// One term's place in an equation row, relative to the card.
struct Slot {
    double width = 0;     ///< of the column
    double rowsShare = 0; ///< matrix height per scale
    double columnsShare = 0;
};

double rowsShareOf(const MatrixView &view, std::int64_t longest)
{
    return view.vector ? kVectorShare : sideShare(view.rows, longest);
}

/// Largest scale (pixels of the longest side) at which `used(scale)` stays within `limit`; used grows with the scale.
template <typename Used>
double largestScale(double most, double limit, Used used)
{
    double low = 0;
    double high = most;
    for (int i = 0; i < 24; ++i) {
        const double middle = (low + high) / 2;
        (used(middle) <= limit ? low : high) = middle;
    }
    return low;
}

struct RowPlan {
    std::vector<double> labelWidths; ///< per term; of operators their own width
    double labelHeight = 0;
    double scale = 0;
    double stretch = 1; ///< of heights
};

double operatorWidth(const Term &term, const Metrics &m)
{
    const double word = term.word.isEmpty() ? 0 : textSize(term.word, std::round(m.small), 500).width() + 2;
    return std::max(word, term.kind == Term::Kind::Arrow ? 34 * m.u : 18 * m.u) + 10 * m.u;
}

std::vector<double> labelWidths(const DiagramFrame &frame, const Metrics &m, const std::vector<Term> &equation,
                                const std::vector<int> &ranks, double &labelHeight)
{
    std::vector<double> widths;
    for (const Term &term : equation) {
        if (term.kind != Term::Kind::Matrix) {
            widths.push_back(operatorWidth(term, m));
            continue;
        }
        double width = 0;
        for (const int rank : ranks) {
            const auto lines = labelOf(termView(*frame.plan, term, rank), frame, m);
            width = std::max(width, widthOf(lines));
            labelHeight = std::max(labelHeight, heightOf(lines));
        }
        widths.push_back(width + 6 * m.u);
    }
    return widths;
}

void placeLabel(DiagramLayout &layout, const std::vector<Line> &lines, QRectF box, Qt::Alignment alignment)
{
    for (const Line &line : lines) {
        const double height = textSize(line.text, std::round(line.pixels), line.weight).height();
        layout.texts.push_back({{box.x(), box.y(), box.width(), height},
                                line.text,
                                std::round(line.pixels),
                                line.weight,
                                line.colour,
                                alignment | Qt::AlignVCenter});
        box.setTop(box.y() + height);
    }
}

void placeOperator(DiagramLayout &layout, const DiagramFrame &frame, const Term &term, const QRectF &box)
{
    const Metrics &m = layout.metrics;
    const QColor ink = frame.theme->text2;
    const double wordHeight = m.small * 1.5;
    if (term.kind == Term::Kind::Arrow) {
        layout.arrows.push_back(
            {QRectF(box.x() + 4 * m.u, box.center().y() - 5 * m.u, box.width() - 8 * m.u, 10 * m.u)});
        const QRectF above(box.x(), box.center().y() - 8 * m.u - wordHeight, box.width(), wordHeight);
        layout.texts.push_back({above, term.word, std::round(m.small), 500, ink, Qt::AlignCenter});
        return;
    }
    if (!term.symbol.isEmpty())
        layout.texts.push_back({box, term.symbol, std::round(m.title * 1.05), 400, ink, Qt::AlignCenter});
    if (!term.word.isEmpty()) {
        const double y = term.symbol.isEmpty() ? box.center().y() - wordHeight / 2 : box.bottom();
        layout.texts.push_back(
            {{box.x(), y, box.width(), wordHeight}, term.word, std::round(m.small), 500, ink, Qt::AlignCenter});
    }
}

/// The room of an operator's symbol: around the middle of the matrices.
QRectF operatorBox(double x, double width, double middle, const Metrics &m)
{
    return {x, middle - m.title * 0.75, width, m.title * 1.5};
}

void placeRow(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<Term> &equation, const RowPlan &row,
              const QRectF &body, int rank)
{
    const Metrics &m = layout.metrics;
    const std::int64_t longest = longestSide(*frame.plan, equation);
    std::vector<Slot> slots_;
    double total = 0;
    double tallest = 0;
    for (std::size_t i = 0; i < equation.size(); ++i) {
        Slot slot{row.labelWidths[i], 0, 0};
        if (equation[i].kind == Term::Kind::Matrix) {
            const MatrixView view = termView(*frame.plan, equation[i], rank);
            slot.rowsShare = rowsShareOf(view, longest) * row.stretch;
            slot.columnsShare = sideShare(view.columns, longest);
            slot.width = std::max(slot.width, slot.columnsShare * row.scale);
        }
        tallest = std::max(tallest, slot.rowsShare * row.scale);
        total += slot.width;
        slots_.push_back(slot);
    }
    double x = body.center().x() - total / 2;
    const double top = body.y() + std::max(0.0, (body.height() - tallest - row.labelHeight) / 2);
    const double middle = top + tallest / 2;
    for (std::size_t i = 0; i < equation.size(); ++i) {
        const Slot &slot = slots_[i];
        if (equation[i].kind != Term::Kind::Matrix) {
            placeOperator(layout, frame, equation[i], operatorBox(x, slot.width, middle, m));
        } else {
            MatrixView view = termView(*frame.plan, equation[i], rank);
            QRectF box(0, 0, slot.columnsShare * row.scale, slot.rowsShare * row.scale);
            box.moveCenter({x + slot.width / 2, middle});
            placeLabel(layout, labelOf(view, frame, m), {x, top + tallest + 4 * m.u, slot.width, row.labelHeight},
                       Qt::AlignHCenter);
            layout.matrices.push_back({box, std::move(view)});
        }
        x += slot.width;
    }
}

} // namespace

double sideShare(std::int64_t size, std::int64_t longest)
{
    const double share = static_cast<double>(size) / static_cast<double>(std::max<std::int64_t>(longest, 1));
    return std::clamp(std::sqrt(share), 0.2, 1.0);
}

double mostStretch(std::size_t cards)
{
    if (cards <= 4)
        return 1.4;
    return cards <= 8 ? 2.0 : 3.0;
}

std::int64_t longestSide(const Plan &plan, const std::vector<Term> &equation)
{
    std::int64_t longest = 1;
    for (const Term &term : equation) {
        if (term.kind != Term::Kind::Matrix)
            continue;
        for (const Dim &dim : plan.tensor(term.tensor).shape)
            longest = std::max(longest, dim.size);
    }
    return longest;
}

bool layoutEquationRow(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<Term> &equation,
                       const std::vector<QRectF> &bodies, const std::vector<int> &ranks)
{
    Metrics m = layout.metrics;
    RowPlan row;
    for (const double shrink : {1.0, 0.9, 0.8}) {
        m.label = layout.metrics.label * shrink;
        m.small = layout.metrics.small * shrink;
        row = {};
        row.labelWidths = labelWidths(frame, m, equation, ranks, row.labelHeight);
        row.labelHeight += 4 * m.u;
        const std::int64_t longest = longestSide(*frame.plan, equation);
        const auto usedWidth = [&](double scale) {
            double total = 0;
            for (std::size_t i = 0; i < equation.size(); ++i) {
                double width = row.labelWidths[i];
                if (equation[i].kind == Term::Kind::Matrix) {
                    const MatrixView view = termView(*frame.plan, equation[i], kAllRanks);
                    width = std::max(width, sideShare(view.columns, longest) * scale);
                }
                total += width;
            }
            return total;
        };
        double tallestShare = kVectorShare;
        for (const Term &term : equation) {
            if (term.kind == Term::Kind::Matrix)
                tallestShare = std::max(tallestShare, rowsShareOf(termView(*frame.plan, term, kAllRanks), longest));
        }
        const QRectF &body = bodies.front();
        const double most = (body.height() - row.labelHeight) / tallestShare;
        if (most > 0)
            row.scale = largestScale(most, body.width(), usedWidth);
        row.stretch = std::clamp(most / std::max(row.scale, 1.0), 1.0, mostStretch(bodies.size()));
        if (row.scale * tallestShare * row.stretch >= 44 * m.u && row.scale >= 64 * m.u)
            break;
        row.scale = 0;
    }
    if (row.scale <= 0)
        return false;
    const Metrics full = layout.metrics;
    layout.metrics = m;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (takesPart(frame, layout, ranks[i]))
            placeRow(layout, frame, equation, row, bodies[i], ranks[i]);
    }
    layout.metrics = full;
    return true;
}

namespace {

double drawnArea(const DiagramLayout &layout)
{
    double area = 0;
    for (const MatrixBox &matrix : layout.matrices)
        area += matrix.box.width() * matrix.box.height();
    return area;
}

/// One of the ranks that run the step, in their middle.
int exampleRank(const DiagramFrame &frame, const DiagramLayout &layout)
{
    std::vector<int> active;
    for (const int rank : allRanks(layout.ranks)) {
        if (takesPart(frame, layout, rank))
            active.push_back(rank);
    }
    return active.empty() ? 0 : active[active.size() / 2];
}

/// The row reads like mathematics, so the table must be clearly larger to be preferred.
bool preferRow(const DiagramLayout &row, const DiagramLayout &grid)
{
    constexpr double kClearlyLarger = 1.7;
    return drawnArea(row) * kClearlyLarger > drawnArea(grid);
}

} // namespace

void layoutCompute(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &body)
{
    const Step &step = frame.plan->steps[static_cast<std::size_t>(layout.scene.step)];
    const std::vector<Term> equation = equationOf(*frame.plan, step);
    const std::vector<int> ranks = allRanks(layout.ranks);
    const CardGrid cards = cardGrid(frame.plan->mesh(), ranks);
    DiagramLayout row = layout;
    row.detail = Detail::Equation;
    const bool rowFits = cards.columns <= kRowRanks && layout.ranks <= kGridRanks &&
                         layoutEquationRow(row, frame, equation, layoutCards(row, frame, body, ranks), ranks);
    DiagramLayout grid = layout;
    grid.detail = Detail::Grid;
    const bool gridFits =
        layout.ranks > 1 && layout.ranks <= kGridRanks && layoutEquationGrid(grid, frame, equation, body, ranks);
    if (rowFits && (!gridFits || preferRow(row, grid))) {
        layout = std::move(row);
        return;
    }
    if (gridFits) {
        layout = std::move(grid);
        return;
    }
    layout.detail = Detail::Overview;
    const std::vector<int> examples{kAllRanks, exampleRank(frame, layout)};
    DiagramLayout overview = layout;
    if (layoutEquationRow(overview, frame, equation, layoutCards(overview, frame, body, examples), examples)) {
        layout = std::move(overview);
        return;
    }
    overview = layout;
    if (layoutEquationGrid(overview, frame, equation, body, examples))
        layout = std::move(overview);
    else
        layoutCards(layout, frame, body, examples); // no room for more than the names
}

} // namespace shardscope
