// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/runtime/weights.h"

#include <functional>
#include <map>
#include <string>

namespace shardscope {

/// Ranks split the blocks of the reference among them; `sum` adds a tensor over the ranks in place. One worker
/// alone computes all of it.
struct WorkShare {
    int index = 0;
    int count = 1;
    std::function<void(at::Tensor &)> sum;
};

/// One tensor of the reference, computed twice from the same inputs.
struct Twin {
    at::Tensor exact; ///< in float64
    at::Tensor plain; ///< in the run's dtype with the run's kernels; undefined where the run computes in float64
};

/// The layer's mathematics, unsharded and in float64, written by hand from the textbook formulas and not from the plan:
/// of the plan it only takes name, shape and fan-in of what is generated. Inputs are those of the run, rounded to its
/// dtype. Beside it goes what one device alone would compute in that dtype: how much of an error is the dtype's own.
/// Weights are only ever held in blocks, which serve both, so a few tokens cost well under 256 MB at any size.
class Reference
{
public:
    Reference(const Plan &plan, const ValueSource &source, const WorkShare &share = {});

    /// The expected values of `region` of Y, dX, or a weight's or bias's gradient, in float64.
    [[nodiscard]] at::Tensor expected(const std::string &name, const Region &region) const;
    /// The same computed unsharded in the run's dtype; undefined where that is float64.
    [[nodiscard]] at::Tensor unsharded(const std::string &name, const Region &region) const;
    /// Subtracts them from `values` (float64, the region's shape) in place: a weight's gradient is never formed apart.
    void subtractFrom(at::Tensor &values, const std::string &name, const Region &region) const;
    /// The sum of their squares.
    [[nodiscard]] double squaredNorm(const std::string &name, const Region &region) const;

private:
    void linearLayer(bool training);
    void mlpGelu(bool training);
    void mlpSwiGlu(bool training);

    [[nodiscard]] const Tensor &spec(const std::string &name) const;
    [[nodiscard]] Twin input(const std::string &name) const;
    /// x·W + b.
    [[nodiscard]] Twin affine(const Twin &x, const std::string &w, const std::string &b) const;
    /// x·W, or x·Wᵀ.
    [[nodiscard]] Twin product(const Twin &x, const std::string &w, bool transposed) const;
    /// dW = xᵀ·dY, kept as its factors, and db, the sum of dY over tokens.
    void gradients(const std::string &w, const std::string &b, const Twin &x, const Twin &dY);
    [[nodiscard]] std::pair<Twin, Twin> factors(const std::string &name, const Region &region) const;
    void forBlocks(const Tensor &w, int dim,
                   const std::function<void(Slice slice, const at::Tensor &block)> &body) const;

    const Plan &m_plan;
    ValueSource m_source;
    WorkShare m_share;
    std::map<std::string, const Tensor *> m_generated;
    std::map<std::string, Twin> m_whole;
    std::map<std::string, std::pair<Twin, Twin>> m_products; ///< factors of aᵀ·b
};

} // namespace shardscope
