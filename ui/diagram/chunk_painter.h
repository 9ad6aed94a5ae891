// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/diagram/collective_scene.h"
#include "ui/theme.h"

#include <QRectF>
#include <vector>

class QPainter;

namespace shardscope {

/// How a chunk stands in the current hop.
struct ChunkState {
    std::uint64_t held = 0; ///< contributions
    int chunk = 0;
    std::vector<int> members; ///< ranks of the mesh in the group's order: their colours
    int ranks = 1;            ///< of the mesh
    bool sending = false;
    bool receiving = false;
    bool accumulates = false; ///< of a receiving one
    bool complete = false;
    bool leftover = false; ///< of no use after a finished reduce-scatter
};

/// N stripe slots, slot j filled when rank j's part is inside; a gathered piece is one fill in its owner's colour.
void paintChunk(QPainter &painter, const QRectF &box, const ChunkState &state, const CollectiveScene &collective,
                const Theme &theme, double u);

/// Where the count stands on a chunk that has no room beside it.
[[nodiscard]] QRectF countPill(const QRectF &chunk, double u);
void paintPill(QPainter &painter, const QRectF &pill, const Theme &theme);

/// Additions, copies and whole-array sums have the colours of reduce-scatter, all-gather and all-reduce.
[[nodiscard]] QColor transferColour(const CollectiveScene &collective, const Transfer &transfer, const Theme &theme);

} // namespace shardscope
