// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/mlp.h"

#include <numbers>

namespace shardscope::textbook {

namespace {

/// The normal distribution's Phi.
at::Tensor cumulative(const at::Tensor &z)
{
    return 0.5 * (1.0 + at::erf(z / std::numbers::sqrt2));
}

/// d/dz z·Phi(z) = Phi(z) + z·phi(z), with the normal distribution's density phi.
at::Tensor geluSlope(const at::Tensor &z)
{
    const double atZero = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return cumulative(z) + z * at::exp(z * z * -0.5) * atZero;
}

at::Tensor logistic(const at::Tensor &z)
{
    return 1.0 / (1.0 + at::exp(-z));
}

/// d/dz z·s(z) = s·(1 + z·(1 - s)), with the logistic function s.
at::Tensor siluSlope(const at::Tensor &z)
{
    const at::Tensor s = logistic(z);
    return s * (1.0 + z * (1.0 - s));
}

} // namespace

GeluMlp::GeluMlp(const Context &context, const std::string &suffix)
    : m_up(context, "W1" + suffix, "b1" + suffix), m_down(context, "W2" + suffix, "b2" + suffix)
{
}

Twin GeluMlp::forward(const Twin &x)
{
    m_z = m_up.forward(x);
    return m_down.forward(computed(m_z.exact * cumulative(m_z.exact), StepKind::Gelu, {m_z}));
}

Twin GeluMlp::backward(const Twin &dY)
{
    const Twin dH = m_down.backward(dY);
    return m_up.backward({dH.exact * geluSlope(m_z.exact), plainOf(StepKind::GeluBackward, {dH, m_z})[0]});
}

SwiGluMlp::SwiGluMlp(const Context &context, const std::string &suffix)
    : m_gateLayer(context, "Wg" + suffix, "bg" + suffix), m_upLayer(context, "Wu" + suffix, "bu" + suffix),
      m_down(context, "W2" + suffix, "b2" + suffix)
{
}

Twin SwiGluMlp::forward(const Twin &x)
{
    m_gate = m_gateLayer.forward(x);
    m_up = m_upLayer.forward(x);
    const at::Tensor silu = m_gate.exact * logistic(m_gate.exact);
    return m_down.forward(computed(silu * m_up.exact, StepKind::SwiGlu, {m_gate, m_up}));
}

Twin SwiGluMlp::backward(const Twin &dY)
{
    const Twin dH = m_down.backward(dY);
    const auto plain = plainOf(StepKind::SwiGluBackward, {dH, m_gate, m_up});
    const at::Tensor silu = m_gate.exact * logistic(m_gate.exact);
    const Twin throughGate = m_gateLayer.backward({dH.exact * m_up.exact * siluSlope(m_gate.exact), plain[0]});
    const Twin throughUp = m_upLayer.backward({dH.exact * silu, plain[1]});
    return sum(throughGate, throughUp);
}

std::unique_ptr<Layer> makeMlp(const Context &context, MlpKind kind, const std::string &suffix)
{
    if (kind == MlpKind::Gelu)
        return std::make_unique<GeluMlp>(context, suffix);
    return std::make_unique<SwiGluMlp>(context, suffix);
}

} // namespace shardscope::textbook
