// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/linear.h"

namespace shardscope::textbook {

Linear::Linear(const Context &context, std::string weight, std::string bias)
    : m_context(context), m_weight(std::move(weight)), m_bias(context.experiment.bias ? std::move(bias) : "")
{
}

Twin Linear::forward(const Twin &x)
{
    m_x = x;
    Twin y = m_context.weights.product(x, m_weight, false);
    if (m_bias.empty())
        return y;
    const Twin bias = m_context.weights.whole(m_bias);
    return computed(y.exact + bias.exact, StepKind::AddBias, {y, bias});
}

Twin Linear::backward(const Twin &dY, const at::Tensor &minuend)
{
    m_context.expected.addProductGradient("d" + m_weight, m_x, dY, minuend);
    if (!m_bias.empty())
        m_context.expected.addSumGradient("d" + m_bias, dY, minuend);
    return m_context.weights.product(dY, m_weight, true);
}

} // namespace shardscope::textbook
