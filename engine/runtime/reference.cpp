// SPDX-License-Identifier: MIT
#include "engine/runtime/reference.h"

#include "engine/runtime/kernels.h"
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

at::Tensor part(const at::Tensor &tensor, const Region &region)
{
    const at::Tensor rows = part(tensor, 0, region.rows);
    return rows.dim() == 1 ? rows : part(rows, 1, region.columns);
}

Twin part(const Twin &twin, int dim, Slice slice)
{
    return {part(twin.exact, dim, slice), twin.plain.defined() ? part(twin.plain, dim, slice) : at::Tensor()};
}

/// What the run's kernel makes of the plain twins; as many undefined tensors as it has outputs where there are none.
std::vector<at::Tensor> plainOf(const Step &step, std::initializer_list<Twin> inputs)
{
    std::vector<at::Tensor> plain;
    for (const Twin &input : inputs) {
        if (!input.plain.defined())
            return {at::Tensor(), at::Tensor()};
        plain.push_back(input.plain);
    }
    return runKernel(step, plain, false);
}

std::vector<at::Tensor> plainOf(StepKind kind, std::initializer_list<Twin> inputs)
{
    Step step;
    step.kind = kind;
    return plainOf(step, inputs);
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
    const Twin x = input("X");
    m_whole["Y"] = affine(x, "W", "b");
    if (!training)
        return;
    const Twin dY = input("dY");
    m_whole["dX"] = product(dY, "W", true);
    gradients("W", "b", x, dY);
}

/// Y = GELU(X·W1 + b1)·W2 + b2.
void Reference::mlpGelu(bool training)
{
    const Twin x = input("X");
    const Twin z = affine(x, "W1", "b1");
    const Twin h{geluOf(z.exact), plainOf(StepKind::Gelu, {z})[0]};
    m_whole["Y"] = affine(h, "W2", "b2");
    if (!training)
        return;
    const Twin dY = input("dY");
    const Twin dH = product(dY, "W2", true);
    const Twin dZ{dH.exact * geluSlope(z.exact), plainOf(StepKind::GeluBackward, {dH, z})[0]};
    m_whole["dX"] = product(dZ, "W1", true);
    gradients("W2", "b2", h, dY);
    gradients("W1", "b1", x, dZ);
}

/// Y = (SiLU(X·Wg + bg) * (X·Wu + bu))·W2 + b2.
void Reference::mlpSwiGlu(bool training)
{
    const Twin x = input("X");
    const Twin gate = affine(x, "Wg", "bg");
    const Twin up = affine(x, "Wu", "bu");
    const Twin h{siluOf(gate.exact) * up.exact, plainOf(StepKind::SwiGlu, {gate, up})[0]};
    m_whole["Y"] = affine(h, "W2", "b2");
    if (!training)
        return;
    const Twin dY = input("dY");
    const Twin dH = product(dY, "W2", true);
    const auto plain = plainOf(StepKind::SwiGluBackward, {dH, gate, up});
    const Twin dGate{dH.exact * up.exact * siluSlope(gate.exact), plain[0]};
    const Twin dUp{dH.exact * siluOf(gate.exact), plain[1]};
    const Twin throughGate = product(dGate, "Wg", true);
    const Twin throughUp = product(dUp, "Wu", true);
    m_whole["dX"] = {throughGate.exact + throughUp.exact, plainOf(StepKind::Add, {throughGate, throughUp})[0]};
    gradients("W2", "b2", h, dY);
    gradients("Wg", "bg", x, dGate);
    gradients("Wu", "bu", x, dUp);
}

const Tensor &Reference::spec(const std::string &name) const
{
    return *m_generated.at(name);
}

Twin Reference::input(const std::string &name) const
{
    const at::Tensor values = generate(spec(name), wholeOf(spec(name)), m_source);
    return {values.to(at::kDouble), spec(name).dtype == DType::F64 ? at::Tensor() : values};
}

/// Slices of a weight along `dim`, whole in the other dimension; this rank's share of them.
void Reference::forBlocks(const Tensor &w, int dim, const std::function<void(Slice, const at::Tensor &)> &body) const
{
    const Region whole = wholeOf(w);
    const std::int64_t length = dim == 0 ? whole.rows.length : whole.columns.length;
    const std::int64_t across = dim == 0 ? whole.columns.length : whole.rows.length;
    const std::int64_t fair = (length + m_share.count - 1) / m_share.count;
    const std::int64_t width = std::clamp<std::int64_t>(kBlockElements / across, 1, fair);
    for (std::int64_t begin = m_share.index * width; begin < length; begin += m_share.count * width) {
        const Slice slice{begin, std::min(width, length - begin)};
        body(slice, generate(w, {dim == 0 ? slice : whole.rows, dim == 0 ? whole.columns : slice}, m_source));
    }
}

/// Each block gives whole elements of the result: a sum that went on from block to block would be another computation
/// than one device's, and its error another one.
Twin Reference::product(const Twin &x, const std::string &w, bool transposed) const
{
    Step step;
    step.kind = StepKind::MatMul;
    step.transposeB = transposed;
    const int dim = transposed ? 0 : 1;
    const std::int64_t length = spec(w).shape[std::size_t(dim)].size;
    Twin result{at::zeros({x.exact.size(0), length}, at::kDouble), {}};
    if (x.plain.defined())
        result.plain = at::zeros({x.exact.size(0), length}, x.plain.options());
    forBlocks(spec(w), dim, [&](Slice slice, const at::Tensor &block) {
        const Twin here = part(result, 1, slice);
        if (here.plain.defined())
            here.plain.copy_(runKernel(step, {x.plain, block}, false)[0]);
        const at::Tensor exact = block.to(at::kDouble);
        here.exact.copy_(at::mm(x.exact, transposed ? exact.t() : exact));
    });
    if (m_share.sum) {
        m_share.sum(result.exact);
        if (result.plain.defined())
            m_share.sum(result.plain); // zeros but for one rank's block: exact
    }
    return result;
}

Twin Reference::affine(const Twin &x, const std::string &w, const std::string &b) const
{
    const Twin y = product(x, w, false);
    if (!m_plan.experiment.bias)
        return y;
    const Twin bias = input(b);
    return {y.exact + bias.exact, plainOf(StepKind::AddBias, {y, bias})[0]};
}

void Reference::gradients(const std::string &w, const std::string &b, const Twin &x, const Twin &dY)
{
    m_products["d" + w] = {x, dY};
    m_whole["d" + b] = {at::sum(dY.exact, 0), plainOf(StepKind::SumRows, {dY})[0]};
}

/// a and b of a weight's gradient aᵀ·b; undefined for others.
std::pair<Twin, Twin> Reference::factors(const std::string &name, const Region &region) const
{
    const auto product = m_products.find(name);
    if (product == m_products.end())
        return {};
    return {part(product->second.first, 1, region.rows), part(product->second.second, 1, region.columns)};
}

at::Tensor Reference::expected(const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    if (const auto [a, b] = factors(name, region); a.exact.defined())
        return at::mm(a.exact.t(), b.exact);
    return part(m_whole.at(name).exact, region);
}

at::Tensor Reference::unsharded(const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    Step step;
    step.kind = StepKind::MatMul;
    step.transposeA = true;
    if (const auto [a, b] = factors(name, region); a.exact.defined())
        return plainOf(step, {a, b})[0];
    const at::Tensor &whole = m_whole.at(name).plain;
    return whole.defined() ? part(whole, region) : whole;
}

void Reference::subtractFrom(at::Tensor &values, const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    if (const auto [a, b] = factors(name, region); a.exact.defined())
        values.addmm_(a.exact.t(), b.exact, 1, -1);
    else
        values.sub_(expected(name, region));
}

double Reference::squaredNorm(const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    // ‖aᵀ·b‖² = trace((a·aᵀ)·(b·bᵀ)): two small matrices instead of one of a weight's size.
    if (const auto [a, b] = factors(name, region); a.exact.defined())
        return (at::mm(a.exact, a.exact.t()) * at::mm(b.exact, b.exact.t())).sum().item<double>();
    return expected(name, region).square().sum().item<double>();
}

} // namespace shardscope
