// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/expected_values.h"

#include "engine/runtime/reference/names.h"

#include <algorithm>
#include <functional>

namespace shardscope {

namespace {

Region regionOf(const at::Tensor &tensor)
{
    return {{0, tensor.size(0)}, {0, tensor.dim() == 2 ? tensor.size(1) : 1}};
}

/// Rows of micro-batch j of m.
Twin ofMicroBatch(const Twin &rows, int j, int m)
{
    return part(rows, 0, sliceOf(rows.exact.size(0), j, m));
}

/// The sum over micro-batches as one device makes it in the run's dtype: gradient by gradient, then the average.
template <typename Gradient>
at::Tensor accumulated(int microBatches, double average, const Gradient &gradientOf)
{
    Twin total{{}, gradientOf(0)};
    for (int j = 1; j < microBatches; ++j)
        total.plain = plainOf(StepKind::Add, {total, {{}, gradientOf(j)}})[0];
    if (average == 1)
        return total.plain;
    Step scale;
    scale.kind = StepKind::Scale;
    scale.factor = average;
    return plainOf(scale, {total})[0];
}

/// What a sum over the rows would be about if they were independent.
at::Tensor sizes(const at::Tensor &rows)
{
    return rows.square().sum(0).sqrt();
}

class WholeValue : public ExpectedValue
{
public:
    /// `least`: what errors are held against at least, element by element.
    explicit WholeValue(Twin value, at::Tensor least = {}) : m_value(std::move(value)), m_least(std::move(least)) {}

    [[nodiscard]] Region whole() const override { return regionOf(m_value.exact); }
    [[nodiscard]] at::Tensor exact(const Region &region) const override { return part(m_value.exact, region); }
    [[nodiscard]] at::Tensor plain(const Region &region) const override { return part(m_value.plain, region); }
    [[nodiscard]] at::Tensor pieces(const Region &region) const override
    {
        return m_value.pieces.defined() ? part(m_value.pieces, region) : at::Tensor();
    }
    [[nodiscard]] double squaredNorm(const Region &region) const override
    {
        const double least = m_least.defined() ? part(m_least, region).square().sum().item<double>() : 0;
        return std::max(ExpectedValue::squaredNorm(region), least);
    }

private:
    Twin m_value;
    at::Tensor m_least;
};

/// trace((a·aᵀ)·(b·bᵀ)) = ‖aᵀ·b‖²: two small matrices instead of one of a weight's size.
double squaredNormOfProduct(const at::Tensor &a, const at::Tensor &b)
{
    return (at::mm(a, a.t()) * at::mm(b, b.t())).sum().item<double>();
}

/// average · xᵀ·dY.
class ProductGradient : public ExpectedValue
{
public:
    ProductGradient(Twin x, Twin dY, at::Tensor minuend, int microBatches, double average)
        : m_x(std::move(x)), m_dY(std::move(dY)), m_minuend(std::move(minuend)), m_microBatches(microBatches),
          m_average(average)
    {
    }

    [[nodiscard]] Region whole() const override { return {{0, m_x.exact.size(1)}, {0, m_dY.exact.size(1)}}; }
    [[nodiscard]] at::Tensor exact(const Region &region) const override
    {
        return at::mm(exactX(region).t(), exactDY(region)).mul_(m_average);
    }
    [[nodiscard]] at::Tensor plain(const Region &region) const override
    {
        Step product;
        product.kind = StepKind::MatMul;
        product.transposeA = true;
        const Twin x = part(m_x, 1, region.rows);
        const Twin dY = part(m_dY, 1, region.columns);
        return accumulated(m_microBatches, m_average, [&](int j) {
            return plainOf(product, {ofMicroBatch(x, j, m_microBatches), ofMicroBatch(dY, j, m_microBatches)})[0];
        });
    }
    /// The gradient itself, which may be as large as a weight, is never formed.
    void subtractFrom(at::Tensor &values, const Region &region) const override
    {
        values.addmm_(exactX(region).t(), exactDY(region), 1, -m_average);
    }
    [[nodiscard]] double squaredNorm(const Region &region) const override
    {
        const at::Tensor x = exactX(region);
        double squares = squaredNormOfProduct(x, exactDY(region));
        if (m_minuend.defined()) {
            const at::Tensor minuend = m_minuend.narrow(1, region.columns.begin, region.columns.length);
            const double least = kLeastRemainder * kLeastRemainder * squaredNormOfProduct(x, minuend);
            squares = std::max(squares, least);
        }
        return m_average * m_average * squares;
    }

private:
    [[nodiscard]] at::Tensor exactX(const Region &region) const { return part(m_x, 1, region.rows).exact; }
    [[nodiscard]] at::Tensor exactDY(const Region &region) const { return part(m_dY, 1, region.columns).exact; }

    Twin m_x;
    Twin m_dY;
    at::Tensor m_minuend;
    int m_microBatches;
    double m_average;
};

/// average · (row ids[i] gets row i of dY); zero but for a few rows.
class LookupGradient : public ExpectedValue
{
public:
    LookupGradient(at::Tensor ids, Twin dY, std::int64_t rows, double average)
        : m_ids(std::move(ids)), m_dY(std::move(dY)), m_rows(rows), m_average(average)
    {
    }

    [[nodiscard]] Region whole() const override { return {{0, m_rows}, {0, m_dY.exact.size(1)}}; }
    [[nodiscard]] at::Tensor exact(const Region &region) const override { return scattered(m_dY.exact, region); }
    [[nodiscard]] at::Tensor plain(const Region &region) const override
    {
        return m_dY.plain.defined() ? scattered(m_dY.plain, region) : at::Tensor();
    }
    void subtractFrom(at::Tensor &values, const Region &region) const override
    {
        scatter(values, m_dY.exact, region, -m_average);
    }
    /// trace((S·Sᵀ)·(b·bᵀ)), where S·Sᵀ is one where two tokens have the same id.
    [[nodiscard]] double squaredNorm(const Region &region) const override
    {
        const at::Tensor inside = tokensIn(region);
        const at::Tensor ids = m_ids.index_select(0, inside);
        const at::Tensor same = ids.unsqueeze(1).eq(ids.unsqueeze(0)).to(at::kDouble);
        const at::Tensor b = part(m_dY, 1, region.columns).exact.index_select(0, inside);
        return m_average * m_average * (same * at::mm(b, b.t())).sum().item<double>();
    }

private:
    /// Positions of the tokens whose row lies in the region.
    [[nodiscard]] at::Tensor tokensIn(const Region &region) const
    {
        const Slice rows = region.rows;
        return m_ids.ge(rows.begin).logical_and(m_ids.lt(rows.begin + rows.length)).nonzero().view(-1);
    }
    void scatter(at::Tensor &values, const at::Tensor &dY, const Region &region, double factor) const
    {
        const at::Tensor inside = tokensIn(region);
        const at::Tensor rows = m_ids.index_select(0, inside) - region.rows.begin;
        const at::Tensor columns = dY.narrow(1, region.columns.begin, region.columns.length);
        values.index_add_(0, rows, columns.index_select(0, inside), factor);
    }
    [[nodiscard]] at::Tensor scattered(const at::Tensor &dY, const Region &region) const
    {
        at::Tensor values = at::zeros({region.rows.length, region.columns.length}, dY.options());
        scatter(values, dY, region, m_average);
        return values;
    }

    at::Tensor m_ids;
    Twin m_dY;
    std::int64_t m_rows;
    double m_average;
};

} // namespace

void ExpectedValue::subtractFrom(at::Tensor &values, const Region &region) const
{
    values.sub_(exact(region));
}

double ExpectedValue::squaredNorm(const Region &region) const
{
    return exact(region).square().sum().item<double>();
}

ExpectedValues::ExpectedValues(int microBatches, int replicas)
    : m_microBatches(microBatches), m_average(1.0 / (double(microBatches) * replicas))
{
}

void ExpectedValues::addTokens(const std::string &name, const Twin &rows)
{
    for (int j = 0; j < m_microBatches; ++j)
        m_values[microBatchName(name, j, m_microBatches)] =
            std::make_unique<WholeValue>(ofMicroBatch(rows, j, m_microBatches));
}

void ExpectedValues::addProductGradient(const std::string &name, const Twin &x, const Twin &dY,
                                        const at::Tensor &minuend)
{
    m_values[name] = std::make_unique<ProductGradient>(x, dY, minuend, m_microBatches, m_average);
}

/// `plainOfBatch(j)` is the gradient of one micro-batch in the run's dtype.
void ExpectedValues::addVector(const std::string &name, const at::Tensor &exactRows,
                               const std::function<at::Tensor(int)> &plainOfBatch, at::Tensor least)
{
    Twin value{at::sum(exactRows, 0) * m_average, accumulated(m_microBatches, m_average, plainOfBatch)};
    m_values[name] = std::make_unique<WholeValue>(std::move(value), std::move(least));
}

void ExpectedValues::addSumGradient(const std::string &name, const Twin &rows, const at::Tensor &minuend)
{
    const auto plainOfBatch = [&](int j) {
        return plainOf(StepKind::SumRows, {ofMicroBatch(rows, j, m_microBatches)})[0];
    };
    at::Tensor least;
    if (minuend.defined())
        least = at::maximum(sizes(rows.exact), sizes(minuend) * kLeastRemainder) * m_average;
    addVector(name, rows.exact, plainOfBatch, least);
}

void ExpectedValues::addScaleGradient(const std::string &name, const at::Tensor &exactRows, const Twin &dY,
                                      const Twin &x)
{
    const auto plainOfBatch = [&](int j) {
        return plainOf(StepKind::LayerNormScaleGradient,
                       {ofMicroBatch(dY, j, m_microBatches), ofMicroBatch(x, j, m_microBatches)})[0];
    };
    addVector(name, exactRows, plainOfBatch, {});
}

void ExpectedValues::addLookupGradient(const std::string &name, const at::Tensor &ids, const Twin &dY,
                                       std::int64_t rows)
{
    m_values[name] = std::make_unique<LookupGradient>(ids, dY, rows, m_average);
}

const ExpectedValue *ExpectedValues::find(const std::string &name) const
{
    const auto found = m_values.find(name);
    return found == m_values.end() ? nullptr : found->second.get();
}

const ExpectedValue &ExpectedValues::value(const std::string &name) const
{
    return *m_values.at(name);
}

} // namespace shardscope
