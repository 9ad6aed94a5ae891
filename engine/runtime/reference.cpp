// SPDX-License-Identifier: MIT
#include "engine/runtime/reference.h"

#include "engine/runtime/torch_types.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace shardscope {

namespace {

/// Elements of a weight that are held in float64 at a time (32 MB).
constexpr std::int64_t kBlockElements = std::int64_t{1} << 22;

at::Tensor geluOf(const at::Tensor &z)
{
    return z * 0.5 * (1.0 + at::erf(z / std::numbers::sqrt2));
}

/// d/dz z·Phi(z) = Phi(z) + z·phi(z), with the normal distribution's Phi and phi.
at::Tensor geluSlope(const at::Tensor &z)
{
    const double density = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return 0.5 * (1.0 + at::erf(z / std::numbers::sqrt2)) + z * at::exp(z * z * -0.5) * density;
}

at::Tensor siluOf(const at::Tensor &z)
{
    return z / (1.0 + at::exp(-z));
}

/// d/dz z·s(z) = s·(1 + z·(1 - s)), with the logistic function s.
at::Tensor siluSlope(const at::Tensor &z)
{
    const at::Tensor s = 1.0 / (1.0 + at::exp(-z));
    return s * (1.0 + z * (1.0 - s));
}

at::Tensor part(const at::Tensor &tensor, int dim, Slice slice)
{
    return tensor.narrow(dim, slice.begin, slice.length);
}

Region wholeOf(const Tensor &tensor)
{
    return {{0, tensor.shape[0].size}, {0, tensor.shape.size() == 2 ? tensor.shape[1].size : 1}};
}

} // namespace

Reference::Reference(const Plan &plan, const ValueSource &source, const WorkShare &share)
    : m_plan(plan), m_source(source), m_share(share)
{
    const c10::NoGradGuard noGradients;
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated)
            m_generated[tensor.name] = &tensor;
    const bool training = plan.experiment.phase == Phase::Training;
    if (plan.experiment.scheme != Scheme::Mlp)
        linearLayer(training);
    else if (plan.experiment.mlp == MlpKind::Gelu)
        mlpGelu(training);
    else
        mlpSwiGlu(training);
}

/// Column and row parallel layers, and the bug lab's, compute the same thing: Y = X·W + b.
void Reference::linearLayer(bool training)
{
    const at::Tensor x = input("X");
    m_whole["Y"] = affine(x, "W", "b");
    if (!training)
        return;
    const at::Tensor dY = input("dY");
    m_whole["dX"] = timesTransposed(dY, "W");
    gradients("W", "b", x, dY);
}

/// Y = GELU(X·W1 + b1)·W2 + b2.
void Reference::mlpGelu(bool training)
{
    const at::Tensor x = input("X");
    const at::Tensor z = affine(x, "W1", "b1");
    const at::Tensor h = geluOf(z);
    m_whole["Y"] = affine(h, "W2", "b2");
    if (!training)
        return;
    const at::Tensor dY = input("dY");
    const at::Tensor dZ = timesTransposed(dY, "W2") * geluSlope(z);
    m_whole["dX"] = timesTransposed(dZ, "W1");
    gradients("W2", "b2", h, dY);
    gradients("W1", "b1", x, dZ);
}

/// Y = (SiLU(X·Wg + bg) * (X·Wu + bu))·W2 + b2.
void Reference::mlpSwiGlu(bool training)
{
    const at::Tensor x = input("X");
    const at::Tensor gate = affine(x, "Wg", "bg");
    const at::Tensor up = affine(x, "Wu", "bu");
    const at::Tensor h = siluOf(gate) * up;
    m_whole["Y"] = affine(h, "W2", "b2");
    if (!training)
        return;
    const at::Tensor dY = input("dY");
    const at::Tensor dH = timesTransposed(dY, "W2");
    const at::Tensor dGate = dH * up * siluSlope(gate);
    const at::Tensor dUp = dH * siluOf(gate);
    m_whole["dX"] = timesTransposed(dGate, "Wg") + timesTransposed(dUp, "Wu");
    gradients("W2", "b2", h, dY);
    gradients("Wg", "bg", x, dGate);
    gradients("Wu", "bu", x, dUp);
}

const Tensor &Reference::spec(const std::string &name) const
{
    return *m_generated.at(name);
}

at::Tensor Reference::input(const std::string &name) const
{
    return generateAsF64(spec(name), wholeOf(spec(name)), m_source);
}

void Reference::forBlocks(const Tensor &w, const std::function<void(Slice, const at::Tensor &)> &body) const
{
    const Region whole = wholeOf(w);
    const std::int64_t columns = whole.columns.length;
    const std::int64_t fair = (columns + m_share.count - 1) / m_share.count;
    const std::int64_t width = std::clamp<std::int64_t>(kBlockElements / whole.rows.length, 1, fair);
    for (std::int64_t begin = m_share.index * width; begin < columns; begin += m_share.count * width) {
        const Slice slice{begin, std::min(width, columns - begin)};
        body(slice, generateAsF64(w, {whole.rows, slice}, m_source));
    }
}

at::Tensor Reference::times(const at::Tensor &x, const std::string &w) const
{
    at::Tensor result = at::zeros({x.size(0), spec(w).shape[1].size}, at::kDouble);
    forBlocks(spec(w),
              [&](Slice columns, const at::Tensor &block) { part(result, 1, columns).copy_(at::mm(x, block)); });
    if (m_share.sum)
        m_share.sum(result);
    return result;
}

at::Tensor Reference::timesTransposed(const at::Tensor &dY, const std::string &w) const
{
    at::Tensor result = at::zeros({dY.size(0), spec(w).shape[0].size}, at::kDouble);
    forBlocks(spec(w),
              [&](Slice columns, const at::Tensor &block) { result.add_(at::mm(part(dY, 1, columns), block.t())); });
    if (m_share.sum)
        m_share.sum(result);
    return result;
}

at::Tensor Reference::affine(const at::Tensor &x, const std::string &w, const std::string &b) const
{
    const at::Tensor y = times(x, w);
    return m_plan.experiment.bias ? y + input(b) : y;
}

void Reference::gradients(const std::string &w, const std::string &b, const at::Tensor &x, const at::Tensor &dY)
{
    m_products["d" + w] = {x, dY};
    m_whole["d" + b] = at::sum(dY, 0);
}

/// aᵀ and b of a weight's gradient; undefined for others.
std::pair<at::Tensor, at::Tensor> Reference::factors(const std::string &name, const Region &region) const
{
    const auto product = m_products.find(name);
    if (product == m_products.end())
        return {};
    return {part(product->second.first, 1, region.rows).t(), part(product->second.second, 1, region.columns)};
}

at::Tensor Reference::expected(const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    if (const auto [a, b] = factors(name, region); a.defined())
        return at::mm(a, b);
    const at::Tensor rows = part(m_whole.at(name), 0, region.rows);
    return rows.dim() == 1 ? rows : part(rows, 1, region.columns);
}

void Reference::subtractFrom(at::Tensor &values, const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    if (const auto [a, b] = factors(name, region); a.defined())
        values.addmm_(a, b, 1, -1);
    else
        values.sub_(expected(name, region));
}

double Reference::squaredNorm(const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    // ‖aᵀ·b‖² = trace((a·aᵀ)·(b·bᵀ)): two small matrices instead of one of a weight's size.
    if (const auto [a, b] = factors(name, region); a.defined())
        return (at::mm(a.t(), a) * at::mm(b, b.t())).sum().item<double>();
    return expected(name, region).square().sum().item<double>();
}

} // namespace shardscope
