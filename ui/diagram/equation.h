// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"

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
};

[[nodiscard]] std::vector<Term> equationOf(const Plan &plan, const Step &step);

} // namespace shardscope
