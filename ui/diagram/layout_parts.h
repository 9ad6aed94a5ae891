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
/// The progress map in `room`, its explanation beside it; ranks of one host framed.
void layoutMap(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room);
/// Of a rank whose host is known.
[[nodiscard]] QString hostName(const DiagramLayout &layout, const DiagramFrame &frame, int rank);
/// The followed tensor's placement at every step that touches it. Returns the height used.
double layoutFollowStrip(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room);
/// Legend entries at the bottom of `room`, in lines. Returns the height used.
double layoutLegend(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room);

/// What the collectives of this pass move, from the roles of their tensors. Returns the height used.
double layoutTravelStrip(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room);

/// A pipeline's schedule: a row per stage, the work of the step shown marked, and what the other stages do meanwhile.
/// Returns the height used.
double layoutSchedule(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room);
[[nodiscard]] QColor scheduleColour(const ScheduleBox &cell, const Theme &theme);
/// What a stage does while another one runs the step: "meanwhile forward of micro-batch 2", or that it waits.
[[nodiscard]] QString meanwhileOf(const Plan &plan, const Step &step, int stage);

/// Which card stands where: a row; ranks of a mesh of several axes with a row per replica (dp), a column per
/// tensor-parallel rank (tp), and the pipeline's stages (pp) side by side.
struct CardGrid {
    struct Place {
        int row = 0;
        int column = 0;
    };
    int rows = 1;
    int columns = 1;
    int laneColumns = 0;       ///< columns of one stage; 0: no stages
    std::vector<Place> places; ///< of each of the ranks asked for
};
[[nodiscard]] CardGrid cardGrid(const Mesh &mesh, const std::vector<int> &ranks);

/// Room for links beside every card.
struct CardGaps {
    double below = 0;
    double right = 0;
};
/// Equal cards in `room`, one per entry of `ranks`. Returns the room inside each.
std::vector<QRectF> layoutCards(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room,
                                const std::vector<int> &ranks, const CardGaps &gaps = {});
/// Whether the rank runs the step shown; all ranks together do.
[[nodiscard]] bool takesPart(const DiagramFrame &frame, const DiagramLayout &layout, int rank);
/// `equation` in a row, the same way in each of `bodies`. False, and nothing done, when the words do not fit.
bool layoutEquationRow(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<Term> &equation,
                       const std::vector<QRectF> &bodies, const std::vector<int> &ranks);
/// `equation` as rows of a table over all cards, shapes at the left. False when it does not fit.
bool layoutEquationGrid(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<Term> &equation,
                        const QRectF &body, const std::vector<int> &ranks);

/// How much taller than its flattened proportions a matrix may be drawn where there is room: narrow cards need it.
[[nodiscard]] double mostStretch(std::size_t cards);

/// Length of a side of `size` elements as a share of the longest one: true proportions flattened, so that a thin
/// matrix stays visible.
[[nodiscard]] double sideShare(std::int64_t size, std::int64_t longest);
[[nodiscard]] std::int64_t longestSide(const Plan &plan, const std::vector<Term> &equation);

[[nodiscard]] std::vector<int> allRanks(int ranks);

} // namespace shardscope
