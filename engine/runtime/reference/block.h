// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/reference/attention.h"
#include "engine/runtime/reference/mlp.h"
#include "engine/runtime/reference/norm.h"

namespace shardscope::textbook {

/// A transformer block: R = X + attention(LN1(X)), Y = R + mlp(LN2(R)).
class SequentialBlock : public Layer
{
public:
    SequentialBlock(const Context &context, const std::string &suffix);

    [[nodiscard]] Twin forward(const Twin &x) override;
    [[nodiscard]] Twin backward(const Twin &dY) override;

private:
    Norm m_firstNorm;
    Attention m_attention;
    Norm m_secondNorm;
    std::unique_ptr<Layer> m_mlp;
};

/// Attention and MLP side by side on one norm: Y = X + attention(N) + mlp(N), N = LN1(X).
class ParallelBlock : public Layer
{
public:
    ParallelBlock(const Context &context, const std::string &suffix);

    [[nodiscard]] Twin forward(const Twin &x) override;
    [[nodiscard]] Twin backward(const Twin &dY) override;

private:
    Norm m_norm;
    Attention m_attention;
    std::unique_ptr<Layer> m_mlp;
};

} // namespace shardscope::textbook
