// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/reference/layer.h"

namespace shardscope::textbook {

/// Y = X·W + b; dX = dY·Wᵀ, dW = Xᵀ·dY, db = the sum of dY over tokens.
class Linear : public Layer
{
public:
    /// Without a bias where the experiment has none, or where `bias` is empty.
    Linear(const Context &context, std::string weight, std::string bias);

    [[nodiscard]] Twin forward(const Twin &x) override;
    [[nodiscard]] Twin backward(const Twin &dY) override { return backward(dY, {}); }
    /// Where dY is the difference of two terms, of which `minuend` is the first: see ExpectedValues.
    [[nodiscard]] Twin backward(const Twin &dY, const at::Tensor &minuend);

private:
    Context m_context;
    std::string m_weight;
    std::string m_bias;
    Twin m_x;
};

} // namespace shardscope::textbook
