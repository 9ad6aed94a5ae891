// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/diagram/equation.h"
#include "ui/diagram/layout.h"

namespace shardscope {

// The parts that fill a DiagramLayout; each gets the room that is left for it.

/// A compute step: the first level of detail that fits `body`.
void layoutCompute(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &body);
/// One hop of a collective.
void layoutCollective(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &body);
/// The followed tensor's placement at every step that touches it. Returns the height used.
double layoutFollowStrip(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room);
/// Legend entries at the bottom of `room`, in lines. Returns the height used.
double layoutLegend(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room);

/// A row of equal cards in `room`, one per entry of `ranks`. Returns the room inside each.
std::vector<QRectF> layoutCards(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room,
                                const std::vector<int> &ranks);
/// `equation` in a row, the same way in each of `bodies`. False, and nothing done, when the words do not fit.
bool layoutEquationRow(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<Term> &equation,
                       const std::vector<QRectF> &bodies, const std::vector<int> &ranks);
/// `equation` as rows of a table over all cards, shapes at the left. False when it does not fit.
bool layoutEquationGrid(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<Term> &equation,
                        const QRectF &body);

/// How much taller than its flattened proportions a matrix may be drawn where there is room: narrow cards need it.
[[nodiscard]] double mostStretch(std::size_t cards);

/// Length of a side of `size` elements as a share of the longest one: true proportions flattened, so that a thin
/// matrix stays visible.
[[nodiscard]] double sideShare(std::int64_t size, std::int64_t longest);
[[nodiscard]] std::int64_t longestSide(const Plan &plan, const std::vector<Term> &equation);

[[nodiscard]] std::vector<int> allRanks(int ranks);

} // namespace shardscope
