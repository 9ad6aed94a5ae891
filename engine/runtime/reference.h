// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/runtime/reference/expected_values.h"
#include "engine/runtime/reference/weight_blocks.h"

#include <string>

namespace shardscope {

/// The layer's mathematics, unsharded and in float64, written by hand from the textbook formulas (reference/) and not
/// from the plan: of the plan it only takes name, shape and fan-in of what is generated. Inputs are those of the run,
/// rounded to its dtype; all micro-batches and data-parallel replicas are computed as the one batch that they are.
/// Beside it goes what one device alone would compute in that dtype: how much of an error is the dtype's own. Weights
/// are only ever held in blocks, which serve both, so a few tokens cost well under 256 MB at any size.
class Reference
{
public:
    Reference(const Plan &plan, const ValueSource &source, const WorkShare &share = {});

    /// Whether there is such a result and `region` lies in it: a wrong scheme's may be of another shape.
    [[nodiscard]] bool covers(const std::string &name, const Region &region) const;
    /// The expected values of `region` of Y, dX, Loss, or a parameter's gradient, in float64.
    [[nodiscard]] at::Tensor expected(const std::string &name, const Region &region) const;
    /// The same computed unsharded in the run's dtype; undefined where that is float64.
    [[nodiscard]] at::Tensor unsharded(const std::string &name, const Region &region) const;
    /// That with each product over a dimension that tensor-parallel ranks share made in as many pieces, added rank
    /// after rank as one device could: of Y; undefined where no forward product is shared.
    [[nodiscard]] at::Tensor inPieces(const std::string &name, const Region &region) const;
    /// Subtracts them from `values` (float64, the region's shape) in place: a weight's gradient is never formed apart.
    void subtractFrom(at::Tensor &values, const std::string &name, const Region &region) const;
    /// The square of what an error is held against: the sum of their squares, or, where they cancel to zero (the
    /// gradient of a key's bias), of their addends' squares.
    [[nodiscard]] double squaredNorm(const std::string &name, const Region &region) const;

private:
    ExpectedValues m_expected;
};

} // namespace shardscope
