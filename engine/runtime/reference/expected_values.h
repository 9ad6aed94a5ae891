// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/reference/twin.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace shardscope {

/// Three bits may be lost by cancellation before errors are no longer relative to the result itself.
inline constexpr double kLeastRemainder = 0.125;

/// What one result should be, in whatever form is small.
class ExpectedValue
{
public:
    virtual ~ExpectedValue() = default;
    /// Sizes; a vector has one column.
    [[nodiscard]] virtual Region whole() const = 0;
    /// The values of `region` in float64.
    [[nodiscard]] virtual at::Tensor exact(const Region &region) const = 0;
    /// The same computed unsharded in the run's dtype; undefined where that is float64.
    [[nodiscard]] virtual at::Tensor plain(const Region &region) const = 0;
    /// The same with each sum that ranks share made in pieces; undefined where there is none.
    [[nodiscard]] virtual at::Tensor pieces(const Region &) const { return {}; }
    /// Subtracts the exact ones from `values` (float64, the region's shape) in place.
    virtual void subtractFrom(at::Tensor &values, const Region &region) const;
    /// The square of what an error is held against: the sum of the exact values' squares,
    /// unless they are a small remainder of larger terms.
    [[nodiscard]] virtual double squaredNorm(const Region &region) const;
};

/// The expected results of an unsharded training step or forward pass by name. Gradients are averages over all
/// micro-batches and data-parallel replicas: what is handed over are rows of all of them, micro-batch after
/// micro-batch.
class ExpectedValues
{
public:
    /// `replicas`: data-parallel ranks, whose tokens stand in the same tensors.
    ExpectedValues(int microBatches, int replicas);

    /// Rows of all micro-batches, each a result of its own: "Y#1", "Y#2", ... or "Y" where there is one.
    void addTokens(const std::string &name, const Twin &rows);
    /// dW = xᵀ·dY, kept as its factors. Where dY is the difference of two terms that nearly cancel, `minuend` is the
    /// first of them, in float64: rounding errors come in its size, so that errors are held against at least
    /// kLeastRemainder of what it alone would give.
    void addProductGradient(const std::string &name, const Twin &x, const Twin &dY, const at::Tensor &minuend = {});
    /// The sum of `rows` over tokens: the gradient of a bias or of a norm's shift. With a minuend
    /// errors are held against the size of the rows, too: the sum may vanish.
    void addSumGradient(const std::string &name, const Twin &rows, const at::Tensor &minuend = {});
    /// A norm's scale: the sum over tokens of dY times the normalised x. `exactRows` are those products; the run's
    /// dtype computes them from `x` and `dY`.
    void addScaleGradient(const std::string &name, const at::Tensor &exactRows, const Twin &dY, const Twin &x);
    /// dE: row ids[i] gets row i of dY; `rows` of them.
    void addLookupGradient(const std::string &name, const at::Tensor &ids, const Twin &dY, std::int64_t rows);

    /// Nothing where the mathematics has no such result.
    [[nodiscard]] const ExpectedValue *find(const std::string &name) const;
    /// std::out_of_range where the mathematics has no such result.
    [[nodiscard]] const ExpectedValue &value(const std::string &name) const;

private:
    void addVector(const std::string &name, const at::Tensor &exactRows,
                   const std::function<at::Tensor(int)> &plainOfBatch, at::Tensor least);

    int m_microBatches;
    double m_average; ///< 1/(micro-batches · replicas)
    std::map<std::string, std::unique_ptr<ExpectedValue>> m_values;
};

} // namespace shardscope
