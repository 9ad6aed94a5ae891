// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan_builder.h"

#include <string>

namespace shardscope {

/// A linear layer Y = X·W + b by its names and sizes. Its parameters are looked up when they are used, because ZeRO-3
/// gathers them in between.
struct Linear {
    std::string w;
    std::string b;
    Dim in;
    Dim out;
    Placement cut;     ///< of W: rows or columns, with one rank whole
    Placement biasCut; ///< of b: as the output is cut where the bias is added

    /// Makes them, where they are not there yet.
    void declare(PlanBuilder &plan) const;
    [[nodiscard]] TensorId weightIn(PlanBuilder &plan) const;
    [[nodiscard]] TensorId biasIn(PlanBuilder &plan) const; ///< kNoTensor with bias off
};

/// W [in, out] cut by columns, and b as they are; `replicas` ranks share a slice.
[[nodiscard]] Linear columnLinear(const PlanBuilder &plan, std::string w, std::string b, Dim in, Dim out,
                                  int replicas = 1);
/// W [in, out] cut by rows, and b whole: it is added once, after the sum.
[[nodiscard]] Linear rowLinear(const PlanBuilder &plan, std::string w, std::string b, Dim in, Dim out);

/// dW = Xᵀ·dY, and db = the sum over tokens of `dBias` (dY where the bias was added). Never a collective here: each
/// rank's part is complete, or an addend that the whole step reduces once.
void parameterGradients(PlanBuilder &plan, const Linear &linear, TensorId x, TensorId dY, TensorId dBias);

} // namespace shardscope
