// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/reference/linear.h"

namespace shardscope::textbook {

/// Y = GELU(X·W1 + b1)·W2 + b2, GELU by the error function.
class GeluMlp : public Layer
{
public:
    GeluMlp(const Context &context, const std::string &suffix);

    [[nodiscard]] Twin forward(const Twin &x) override;
    [[nodiscard]] Twin backward(const Twin &dY) override;

private:
    Linear m_up;
    Linear m_down;
    Twin m_z;
};

/// Y = (SiLU(X·Wg + bg) * (X·Wu + bu))·W2 + b2.
class SwiGluMlp : public Layer
{
public:
    SwiGluMlp(const Context &context, const std::string &suffix);

    [[nodiscard]] Twin forward(const Twin &x) override;
    [[nodiscard]] Twin backward(const Twin &dY) override;

private:
    Linear m_gateLayer;
    Linear m_upLayer;
    Linear m_down;
    Twin m_gate;
    Twin m_up;
};

[[nodiscard]] std::unique_ptr<Layer> makeMlp(const Context &context, MlpKind kind, const std::string &suffix);

} // namespace shardscope::textbook
