// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"

#include <QString>

namespace shardscope {

/// A card that stands for all ranks together: the whole matrices and how they are cut.
inline constexpr int kAllRanks = -1;

/// One tensor as a picture: as drawn, so a transposed one has rows and columns exchanged.
struct MatrixView {
    enum class Look {
        Whole,   ///< one rank holds everything (N = 1)
        Shard,   ///< a slice of the whole
        Replica, ///< the same on every rank
        Partial, ///< a full-size addend
    };
    TensorId tensor = kNoTensor;
    int rank = 0; ///< or kAllRanks
    int ranks = 1;
    Look look = Look::Whole;
    bool cutColumns = false; ///< of a Shard: vertical cuts, else horizontal ones
    bool transposed = false;
    bool vector = false;
    bool gradient = false; ///< drawn in the backward lightness
    std::int64_t rows = 1; ///< global, as drawn; a vector is one row
    std::int64_t columns = 1;
    QString name;        ///< "Xᵗ"
    QString globalShape; ///< "[256, 1024]"
    QString localShape;  ///< of this rank; of all ranks "[256, 341-342]" where they differ
    QString placement;   ///< "shard columns"
    /// Where slice `index` begins and ends, as a share of the cut side.
    [[nodiscard]] double cutAt(int index) const;
};

[[nodiscard]] MatrixView matrixView(const Plan &plan, TensorId tensor, bool transposed, int rank);

/// "replicated", "shard columns", "partial"; "whole" when there is one rank.
[[nodiscard]] QString placementWord(const Plan &plan, TensorId tensor, bool transposed = false);

/// "rank 3", on GPUs "GPU 3"; of kAllRanks "all 64 ranks".
[[nodiscard]] QString rankName(const Plan &plan, int rank);

} // namespace shardscope
