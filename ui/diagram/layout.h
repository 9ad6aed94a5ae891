// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/diagram/link_lanes.h"
#include "ui/diagram/matrix_view.h"
#include "ui/diagram/scene_painter.h"
#include "ui/diagram/text_box.h"
#include "ui/diagram/words.h"

#include <optional>
#include <vector>

namespace shardscope {

/// Sizes in pixels that follow from the area and the unit. The unit shrinks where the area has no room for it: letters
/// that fit beat letters as large as asked.
struct Metrics {
    double u = 1;
    double title = 20;
    double body = 14;
    double label = 13;
    double small = 12;
    double margin = 14;
    double gap = 12;
};
[[nodiscard]] Metrics metricsFor(const QRectF &area, double unit);

/// How much of each rank is drawn.
enum class Detail {
    Equation, ///< the step's equation in a row on every card; collectives: tensor and chunk tiles
    Grid,     ///< a card per rank, a row per matrix with its shapes at the left; collectives: chunk stacks
    Overview, ///< one card for all ranks and one example; collectives: the map of rank x chunk
};

/// A rank's card, or all ranks' (kAllRanks).
struct CardBox {
    QRectF box;
    QRectF header;
    int rank = 0;
    bool idle = false; ///< takes no part in the step
};

struct MatrixBox {
    QRectF box; ///< the whole matrix
    MatrixView view;
};

struct ArrowBox {
    QRectF box;
    bool down = false;
};

struct ChunkBox {
    QRectF box;
    QRectF count; ///< room for "2/8"; empty: written on the chunk
    int rank = 0;
    int chunk = 0;
};

/// One kind of tensor in the strip that says what travels.
struct TravelBox {
    QRectF box;
    bool now = false;   ///< in the step shown
    bool never = false; ///< in no step of this pass
};

/// One stage's work on one micro-batch in the pipeline's schedule.
struct ScheduleBox {
    QRectF box;
    bool backward = false;
    bool now = false;    ///< the step shown is part of it
    bool beside = false; ///< another stage works on it meanwhile
};

/// The progress map. With a single chunk its columns are the contributing ranks, else the chunks.
struct MapBox {
    QRectF grid;
    int rows = 0;
    int columns = 0;
    bool contributors = false;
    [[nodiscard]] QRectF cell(int row, int column) const;
};

/// The cards of one host, where they stand together.
struct HostBox {
    QRectF box;
};

/// A legend entry's picture.
enum class Swatch {
    InsideHost,
    BetweenHosts,
    Whole,
    Shard,
    Shared,
    Replica,
    Partial,
    Outline,
    Ramp,
    Gradient,
    Slot,
    Piece,
    Sending,
    ReceivingAdd,
    ReceivingKeep,
    Complete,
    MapOwn,
    MapHalf,
    MapComplete,
    MapSending,
    MapEmpty,
};
struct SwatchBox {
    QRectF box;
    Swatch swatch = Swatch::Whole;
};

/// Where everything of one scene lies: geometry and words, no painting. Tests read this.
struct DiagramLayout {
    QRectF area;
    Metrics metrics;
    Scene scene;
    double fraction = 0;
    Detail detail = Detail::Equation;
    int ranks = 1;          ///< of the mesh
    std::vector<int> hosts; ///< of each rank the host, where there are several; else empty
    std::vector<int> shown; ///< ranks with a card in a collective: all, or one group of many
    std::optional<CollectiveScene> collective;
    std::vector<TextBox> texts;
    std::vector<CardBox> cards;
    std::vector<HostBox> hostBoxes;
    std::vector<MatrixBox> matrices;
    std::vector<ArrowBox> arrows;
    std::vector<ChunkBox> chunks;
    LinkLanes links;
    std::optional<MapBox> map;
    std::vector<SwatchBox> swatches;
    std::vector<TravelBox> travels;
    std::vector<ScheduleBox> schedule; ///< of a pipeline, where there is room for it
    QRectF badge;                      ///< the pass
    std::vector<QRectF> chips;         ///< of the followed tensor's strip; chip i of chipNow is lit
    int chipNow = -1;

    [[nodiscard]] const ChunkBox *chunk(int rank, int chunk) const;
    /// Whether a message between the ranks leaves a host.
    [[nodiscard]] bool areApart(int from, int to) const;
};

[[nodiscard]] DiagramLayout layoutDiagram(const DiagramFrame &frame, const QRectF &area);

} // namespace shardscope
