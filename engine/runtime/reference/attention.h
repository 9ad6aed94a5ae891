// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/reference/linear.h"

namespace shardscope::textbook {

/// Causal self-attention: Q, K, V = X·Wq + bq, X·Wk + bk, X·Wv + bv; per sequence and query head i, with the key and
/// value head i·k/a, P = softmax(Q·Kᵀ/sqrt(d)) and C = P·V; Y = C·Wo + bo. In decode the keys and values of the cache
/// come before those of the one new token.
class Attention : public Layer
{
public:
    Attention(const Context &context, const std::string &suffix);

    [[nodiscard]] Twin forward(const Twin &x) override;
    [[nodiscard]] Twin backward(const Twin &dY) override;

private:
    [[nodiscard]] Twin core();
    [[nodiscard]] at::Tensor withCache(const Twin &cache, const at::Tensor &ofToken) const;

    Context m_context;
    std::string m_suffix;
    Linear m_query;
    Linear m_key;
    Linear m_value;
    Linear m_output;
    Step m_core; ///< of the run's kernel
    Twin m_q;
    Twin m_k;
    Twin m_v;
    Twin m_probabilities; ///< exact: [sequences, a, s, s_k]
};

} // namespace shardscope::textbook
