// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/block.h"

namespace shardscope::textbook {

SequentialBlock::SequentialBlock(const Context &context, const std::string &suffix)
    : m_firstNorm(context, "g1" + suffix, "c1" + suffix), m_attention(context, suffix),
      m_secondNorm(context, "g2" + suffix, "c2" + suffix), m_mlp(makeMlp(context, context.experiment.mlp, suffix))
{
}

Twin SequentialBlock::forward(const Twin &x)
{
    const Twin r = sum(x, m_attention.forward(m_firstNorm.forward(x)));
    return sum(r, m_mlp->forward(m_secondNorm.forward(r)));
}

Twin SequentialBlock::backward(const Twin &dY)
{
    const Twin dR = sum(dY, m_secondNorm.backward(m_mlp->backward(dY)));
    return sum(dR, m_firstNorm.backward(m_attention.backward(dR)));
}

ParallelBlock::ParallelBlock(const Context &context, const std::string &suffix)
    : m_norm(context, "g1" + suffix, "c1" + suffix), m_attention(context, suffix),
      m_mlp(makeMlp(context, context.experiment.mlp, suffix))
{
}

Twin ParallelBlock::forward(const Twin &x)
{
    const Twin n = m_norm.forward(x);
    return sum(x, sum(m_attention.forward(n), m_mlp->forward(n)));
}

Twin ParallelBlock::backward(const Twin &dY)
{
    const Twin dN = sum(m_attention.backward(dY), m_mlp->backward(dY));
    return sum(dY, m_norm.backward(dN));
}

} // namespace shardscope::textbook
