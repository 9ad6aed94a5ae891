// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/reference/layer.h"

namespace shardscope::textbook {

/// Y = X·W + b; dX = dY·Wᵀ, dW = Xᵀ·dY, db = the sum of dY over tokens.
class Linear : public Layer
{
public:
    enum class BiasGradient {
        Plain,
        Cancels, ///< it is zero, because nothing afterwards sees a constant
    };

    /// Without a bias where the experiment has none, or where `bias` is empty.
    Linear(const Context &context, std::string weight, std::string bias,
           BiasGradient biasGradient = BiasGradient::Plain);

    [[nodiscard]] Twin forward(const Twin &x) override;
    [[nodiscard]] Twin backward(const Twin &dY) override;

private:
    Context m_context;
    std::string m_weight;
    std::string m_bias;
    BiasGradient m_biasGradient;
    Twin m_x;
};

} // namespace shardscope::textbook
