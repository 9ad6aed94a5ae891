// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/runtime/weights.h"

#include <functional>
#include <map>
#include <string>

namespace shardscope {

/// Ranks split the blocks of the reference among them; `sum` adds a float64 tensor over the ranks in place. One worker
/// alone computes all of it.
struct WorkShare {
    int index = 0;
    int count = 1;
    std::function<void(at::Tensor &)> sum;
};

/// The layer's mathematics, unsharded and in float64, written by hand from the textbook formulas and not from the plan:
/// of the plan it only takes name, shape and fan-in of what is generated. Inputs are those of the run, rounded to its
/// dtype. Weights are only ever held in blocks of columns, so a few tokens cost well under 256 MB at any size.
class Reference
{
public:
    Reference(const Plan &plan, const ValueSource &source, const WorkShare &share = {});

    /// The expected values of `region` of Y, dX, or a weight's or bias's gradient.
    [[nodiscard]] at::Tensor expected(const std::string &name, const Region &region) const;
    /// Subtracts them from `values` (float64, the region's shape) in place: a weight's gradient is never formed apart.
    void subtractFrom(at::Tensor &values, const std::string &name, const Region &region) const;
    /// The sum of their squares.
    [[nodiscard]] double squaredNorm(const std::string &name, const Region &region) const;

private:
    void linearLayer(bool training);
    void mlpGelu(bool training);
    void mlpSwiGlu(bool training);

    [[nodiscard]] const Tensor &spec(const std::string &name) const;
    [[nodiscard]] at::Tensor input(const std::string &name) const;
    /// x·W + b.
    [[nodiscard]] at::Tensor affine(const at::Tensor &x, const std::string &w, const std::string &b) const;
    [[nodiscard]] at::Tensor times(const at::Tensor &x, const std::string &w) const;
    [[nodiscard]] at::Tensor timesTransposed(const at::Tensor &dY, const std::string &w) const;
    /// dW = xᵀ·dY, kept as its factors, and db, the sum of dY over tokens.
    void gradients(const std::string &w, const std::string &b, const at::Tensor &x, const at::Tensor &dY);
    [[nodiscard]] std::pair<at::Tensor, at::Tensor> factors(const std::string &name, const Region &region) const;
    void forBlocks(const Tensor &w, const std::function<void(Slice columns, const at::Tensor &block)> &body) const;

    const Plan &m_plan;
    ValueSource m_source;
    WorkShare m_share;
    std::map<std::string, const Tensor *> m_generated;
    std::map<std::string, at::Tensor> m_whole;
    std::map<std::string, std::pair<at::Tensor, at::Tensor>> m_products; ///< factors of aᵀ·b
};

} // namespace shardscope
