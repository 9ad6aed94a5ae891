// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/reference/layer.h"

namespace shardscope::textbook {

/// Layer normalisation: Y = g·x̂ + c, x̂ = (X - mean)/sqrt(variance + 1e-5), token by token.
class Norm : public Layer
{
public:
    /// `scale` and `shift` name g and c.
    Norm(const Context &context, std::string scale, std::string shift);

    [[nodiscard]] Twin forward(const Twin &x) override;
    [[nodiscard]] Twin backward(const Twin &dY) override;

private:
    Context m_context;
    std::string m_scale;
    std::string m_shift;
    Twin m_x;
    Twin m_g;
    at::Tensor m_normalised; ///< x̂
    at::Tensor m_deviation;  ///< [tokens, 1]
};

} // namespace shardscope::textbook
