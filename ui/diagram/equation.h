// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"
#include "ui/diagram/matrix_view.h"

#include <QString>
#include <vector>

namespace shardscope {

/// A step as an equation of matrices: "X × W = Y".
struct Term {
    enum class Kind { Matrix, Operator, Arrow } kind = Kind::Matrix;
    TensorId tensor = kNoTensor; ///< of a Matrix
    bool transposed = false;
    QString symbol; ///< of an Operator: "×"
    QString word;   ///< small, under an Operator or above an Arrow: "all-reduce", "gelu"
    int stack = 1;  ///< of a Matrix: so many tensors of one message; the largest stands for them
    QString names;  ///< of a stack: "dWk, dbk, dWv, dbv"
};

[[nodiscard]] std::vector<Term> equationOf(const Plan &plan, const Step &step);

/// A term's matrix as one rank (or kAllRanks) has it.
[[nodiscard]] MatrixView termView(const Plan &plan, const Term &term, int rank);

/// "dWk, dbk, dWv, dbv"; of many "W1, b1, … (12 tensors)".
[[nodiscard]] QString namesOf(const Plan &plan, const std::vector<TensorId> &tensors);

} // namespace shardscope
