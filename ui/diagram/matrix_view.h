// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"

#include <QRectF>
#include <QString>
#include <vector>

namespace shardscope {

/// A card that stands for all ranks together: the whole matrices and how they are cut.
inline constexpr int kAllRanks = -1;

/// One tensor as a picture: as drawn, so a transposed one has rows and columns exchanged. Attention probabilities
/// [b, a, s, s] are a matrix of tiles, one row a sequence, one column a head.
struct MatrixView {
    enum class Look {
        Whole,   ///< one rank holds everything
        Shard,   ///< a slice of the whole
        Replica, ///< the same on every rank
        Partial, ///< an addend, of the whole or of a slice
        Absent,  ///< this rank has none of it
    };
    TensorId tensor = kNoTensor;
    int rank = 0;    ///< or kAllRanks
    int ranks = 1;   ///< of the mesh, for colours
    int holders = 1; ///< ranks that have a part of it: those of its pipeline stage
    Look look = Look::Whole;
    bool shared = false; ///< of a Shard: other ranks have the same slice, and are drawn alike
    int owner = 0;       ///< the first rank with this slice gives it its colour
    int addends = 1;     ///< of a Partial: so many make the value
    int stack = 1;       ///< tensors of one message for which this one stands
    bool transposed = false;
    bool vector = false;
    bool gradient = false; ///< drawn in the backward lightness
    std::int64_t rows = 1; ///< global, as drawn; a vector is one row
    std::int64_t columns = 1;
    QRectF held{0, 0, 1, 1};        ///< what the rank has, in shares of the whole
    std::vector<double> rowCuts;    ///< where slices meet, in shares of the height
    std::vector<double> columnCuts; ///< and of the width
    struct Piece {
        int rank = 0;
        QRectF box;
    };
    std::vector<Piece> pieces; ///< of kAllRanks: every rank's slice
    int tileRows = 0;          ///< of attention probabilities; else 0
    int tileColumns = 0;
    QString name;        ///< "Xᵗ"
    QString globalShape; ///< "[256, 1024]"
    QString localShape;  ///< of this rank; of all ranks "[256, 341-342]" where they differ
    QString placement;   ///< "shard columns"
    [[nodiscard]] bool cutsColumns() const { return !columnCuts.empty(); }
};

[[nodiscard]] MatrixView matrixView(const Plan &plan, TensorId tensor, bool transposed, int rank);

/// "replicated", "shard columns", "partial"; on a mesh "tp shard columns · dp shard rows"; "whole" on one rank.
[[nodiscard]] QString placementWord(const Plan &plan, TensorId tensor, bool transposed = false);

/// "rank 3", on GPUs "GPU 3"; of kAllRanks "all 64 ranks".
[[nodiscard]] QString rankName(const Plan &plan, int rank);
/// The same with the place in the mesh: "rank 5 · tp 1 dp 0 pp 1", "rank 2 · stage 2".
[[nodiscard]] QString rankTitle(const Plan &plan, int rank);

/// The axes with more than one rank.
[[nodiscard]] std::vector<MeshAxis> usedAxes(const Mesh &mesh);

} // namespace shardscope
