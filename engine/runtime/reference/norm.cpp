// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/norm.h"

namespace shardscope::textbook {

namespace {

constexpr double kEpsilon = 1e-5;

} // namespace

Norm::Norm(const Context &context, std::string scale, std::string shift)
    : m_context(context), m_scale(std::move(scale)), m_shift(std::move(shift))
{
}

Twin Norm::forward(const Twin &x)
{
    m_x = x;
    m_g = m_context.weights.whole(m_scale);
    const Twin c = m_context.weights.whole(m_shift);
    const at::Tensor centred = x.exact - x.exact.mean(-1, true);
    m_deviation = (centred.square().mean(-1, true) + kEpsilon).sqrt();
    m_normalised = centred / m_deviation;
    return computed(m_normalised * m_g.exact + c.exact, StepKind::LayerNorm, {x, m_g, c});
}

/// dx̂ = dY·g; dX = (dx̂ - mean(dx̂) - x̂·mean(dx̂·x̂))/deviation; dg = sum of dY·x̂, dc = sum of dY over tokens.
Twin Norm::backward(const Twin &dY)
{
    m_context.expected.addScaleGradient("d" + m_scale, dY.exact * m_normalised, dY, m_x);
    m_context.expected.addSumGradient("d" + m_shift, dY);
    const at::Tensor inner = dY.exact * m_g.exact;
    const at::Tensor alongX = m_normalised * (inner * m_normalised).mean(-1, true);
    return {(inner - inner.mean(-1, true) - alongX) / m_deviation,
            plainOf(StepKind::LayerNormBackward, {dY, m_x, m_g})[0]};
}

} // namespace shardscope::textbook
