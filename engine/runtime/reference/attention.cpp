// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/attention.h"

#include <cmath>
#include <limits>

namespace shardscope::textbook {

namespace {

/// [sequences·s, heads·d] -> [sequences, heads, s, d].
at::Tensor byHead(const at::Tensor &x, std::int64_t sequences, std::int64_t headSize)
{
    return x.reshape({sequences, x.size(0) / sequences, x.size(1) / headSize, headSize}).transpose(1, 2);
}

/// [sequences, heads, s, d] -> [sequences·s, heads·d].
at::Tensor byToken(const at::Tensor &x)
{
    return x.transpose(1, 2).reshape({x.size(0) * x.size(2), x.size(1) * x.size(3)});
}

/// Each key or value head once for every query head that uses it: consecutive groups.
at::Tensor forQueryHeads(const at::Tensor &heads, std::int64_t queryHeads)
{
    return heads.repeat_interleave(queryHeads / heads.size(1), 1);
}

/// The other way: gradients of the copies of one head are summed.
at::Tensor overQueryHeads(const at::Tensor &gradients, std::int64_t kvHeads)
{
    const auto sizes = gradients.sizes();
    return gradients.reshape({sizes[0], kvHeads, sizes[1] / kvHeads, sizes[2], sizes[3]}).sum(2);
}

/// A token sees itself and what came before; the queries are the last of the tokens.
at::Tensor causal(const at::Tensor &scores)
{
    const std::int64_t queries = scores.size(-2);
    const std::int64_t keys = scores.size(-1);
    const at::Tensor later = at::ones({queries, keys}, at::kBool).triu(keys - queries + 1);
    return scores.masked_fill(later, -std::numeric_limits<double>::infinity());
}

at::Tensor softmax(const at::Tensor &scores)
{
    const at::Tensor powers = at::exp(scores - scores.amax(-1, true));
    return powers / powers.sum(-1, true);
}

} // namespace

Attention::Attention(const Context &context, const std::string &suffix)
    : m_context(context), m_suffix(suffix), m_query(context, "Wq" + suffix, "bq" + suffix),
      m_key(context, "Wk" + suffix, "bk" + suffix), m_value(context, "Wv" + suffix, "bv" + suffix),
      m_output(context, "Wo" + suffix, "bo" + suffix)
{
    m_core.attention = {context.sequences(), context.experiment.headSize()};
}

Twin Attention::forward(const Twin &x)
{
    m_q = m_query.forward(x);
    m_k = m_key.forward(x);
    m_v = m_value.forward(x);
    return m_output.forward(core());
}

/// Keys or values of all tokens of each sequence.
at::Tensor Attention::withCache(const Twin &cache, const at::Tensor &ofToken) const
{
    const std::int64_t sequences = m_context.sequences();
    const std::int64_t width = ofToken.size(1);
    return at::cat({cache.exact.view({sequences, -1, width}), ofToken.view({sequences, -1, width})}, 1)
        .reshape({-1, width});
}

Twin Attention::core()
{
    const auto [sequences, d] = m_core.attention;
    m_core.kind = StepKind::AttentionCore;
    at::Tensor keys = m_k.exact;
    at::Tensor values = m_v.exact;
    std::vector<Twin> results;
    if (m_context.experiment.phase == Phase::Decode) {
        const Twin keyCache = m_context.weights.ofAllMicroBatches("Kc" + m_suffix);
        const Twin valueCache = m_context.weights.ofAllMicroBatches("Vc" + m_suffix);
        keys = withCache(keyCache, keys);
        values = withCache(valueCache, values);
        results = kernelOf(m_core, {m_q, m_k, m_v, keyCache, valueCache});
    } else {
        results = kernelOf(m_core, {m_q, m_k, m_v});
    }
    const at::Tensor q = byHead(m_q.exact, sequences, d);
    const at::Tensor k = forQueryHeads(byHead(keys, sequences, d), q.size(1));
    const at::Tensor v = forQueryHeads(byHead(values, sequences, d), q.size(1));
    const at::Tensor p = softmax(causal(at::matmul(q, k.transpose(-1, -2)) / std::sqrt(double(d))));
    m_probabilities = {p, results[1].plain};
    results[0].exact = byToken(at::matmul(p, v));
    return results[0];
}

// dV = Pᵀ·dC, dP = dC·Vᵀ, dS = P * dP - P * (sum of the row of P * dP), dQ = dS·K/sqrt(d), dK = dSᵀ·Q/sqrt(d).
//
// Softmax does not see what is common to all scores of a query, and the second term of dS takes that out. bk adds q·bk
// to each score, so its gradient is zero. Where the tokens have become alike, as in a stack of attentions without
// residuals, all scores have nearly everything in common, and Q and K get hardly a gradient either.
Twin Attention::backward(const Twin &dY)
{
    const Twin dC = m_output.backward(dY);
    const auto [sequences, d] = m_core.attention;
    const at::Tensor q = byHead(m_q.exact, sequences, d);
    const at::Tensor k = byHead(m_k.exact, sequences, d);
    const at::Tensor v = byHead(m_v.exact, sequences, d);
    const at::Tensor dHead = byHead(dC.exact, sequences, d);
    const at::Tensor &p = m_probabilities.exact;
    const double scale = 1 / std::sqrt(double(d));
    const auto queryGradient = [&](const at::Tensor &dS) {
        return byToken(at::matmul(dS, forQueryHeads(k, q.size(1))) * scale);
    };
    const auto keyGradient = [&](const at::Tensor &dS) {
        return byToken(overQueryHeads(at::matmul(dS.transpose(-1, -2), q) * scale, k.size(1)));
    };
    const at::Tensor dV = overQueryHeads(at::matmul(p.transpose(-1, -2), dHead), v.size(1));
    const at::Tensor minuend = p * at::matmul(dHead, forQueryHeads(v, q.size(1)).transpose(-1, -2));
    const at::Tensor dS = minuend - p * minuend.sum(-1, true);

    m_core.kind = StepKind::AttentionCoreBackward;
    const auto plain = plainOf(m_core, {dC, m_q, m_k, m_v, m_probabilities});
    const Twin throughQ = m_query.backward({queryGradient(dS), plain[0]}, queryGradient(minuend));
    const Twin throughK = m_key.backward({keyGradient(dS), plain[1]}, keyGradient(minuend));
    const Twin throughV = m_value.backward({byToken(dV), plain[2]});
    return sum(sum(throughQ, throughK), throughV);
}

} // namespace shardscope::textbook
