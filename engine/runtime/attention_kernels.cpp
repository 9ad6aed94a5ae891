// SPDX-License-Identifier: MIT
#include "engine/runtime/attention_kernels.h"

#include "engine/runtime/products.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace shardscope {

namespace {

/// Shapes of one sequence: s query tokens, k KV heads, each with g query heads, of size d.
struct Heads {
    std::int64_t sequences = 1;
    std::int64_t tokens = 1;    ///< s
    std::int64_t kvHeads = 1;   ///< k
    std::int64_t groupSize = 1; ///< g = a/k
    std::int64_t size = 1;      ///< d

    [[nodiscard]] std::int64_t queryHeads() const { return kvHeads * groupSize; }
    [[nodiscard]] double scale() const { return 1 / std::sqrt(double(size)); }
};

Heads headsOf(const AttentionSizes &sizes, const at::Tensor &q, const at::Tensor &k)
{
    Heads heads;
    heads.sequences = sizes.sequences;
    heads.size = sizes.headSize;
    heads.tokens = q.size(0) / heads.sequences;
    heads.kvHeads = k.size(1) / heads.size;
    const std::int64_t queryHeads = q.size(1) / heads.size;
    if (heads.kvHeads == 0 || queryHeads % heads.kvHeads != 0)
        throw std::logic_error(std::to_string(queryHeads) + " query heads cannot share " +
                               std::to_string(heads.kvHeads) + " KV heads");
    heads.groupSize = queryHeads / heads.kvHeads;
    return heads;
}

/// The rows of one sequence of a matrix [b·n, width].
at::Tensor rowsOf(const at::Tensor &matrix, std::int64_t sequence, const Heads &heads)
{
    const std::int64_t rows = matrix.size(0) / heads.sequences;
    return matrix.narrow(0, sequence * rows, rows);
}

/// [s, a·d] -> [k, g·s, d]: the queries of a KV head under each other.
at::Tensor queriesOf(const at::Tensor &rows, const Heads &heads)
{
    return rows.view({heads.tokens, heads.kvHeads, heads.groupSize, heads.size})
        .permute({1, 2, 0, 3})
        .reshape({heads.kvHeads, heads.groupSize * heads.tokens, heads.size});
}

/// The way back into the rows of a result.
void putQueries(at::Tensor rows, const at::Tensor &queries, const Heads &heads)
{
    rows.view({heads.tokens, heads.kvHeads, heads.groupSize, heads.size})
        .copy_(queries.view({heads.kvHeads, heads.groupSize, heads.tokens, heads.size}).permute({2, 0, 1, 3}));
}

/// [n, k·d] -> [k, n, d], without a copy.
at::Tensor keysOf(const at::Tensor &rows, const Heads &heads)
{
    return rows.view({rows.size(0), heads.kvHeads, heads.size}).permute({1, 0, 2});
}

at::Tensor transposed(const at::Tensor &matrices)
{
    return matrices.transpose(1, 2);
}

/// P of one sequence as [k, g·s, n].
at::Tensor probabilitiesOf(const at::Tensor &p, std::int64_t sequence, const Heads &heads)
{
    return p.select(0, sequence).view({heads.kvHeads, heads.groupSize * heads.tokens, p.size(3)});
}

/// Causal softmax of scores [k, g·s, c + s]: token i sees the cache and the tokens up to itself.
at::Tensor softmaxOf(at::Tensor scores, const Heads &heads)
{
    const std::int64_t keys = scores.size(2);
    scores.mul_(heads.scale());
    if (heads.tokens > 1) {
        const at::Tensor later =
            at::ones({heads.tokens, keys}, scores.options().dtype(at::kBool)).triu(keys - heads.tokens + 1);
        scores.view({heads.queryHeads(), heads.tokens, keys})
            .masked_fill_(later, -std::numeric_limits<double>::infinity());
    }
    return at::_softmax(scores, -1, /*half_to_float=*/false);
}

at::Tensor joined(const at::Tensor &cached, const at::Tensor &fresh, int dim)
{
    return cached.defined() ? at::cat({cached, fresh}, dim) : fresh;
}

} // namespace

std::vector<at::Tensor> attentionCore(const AttentionSizes &sizes, const std::vector<at::Tensor> &inputs)
{
    const at::Tensor &q = inputs[0];
    const bool cached = inputs.size() > 3;
    const Heads heads = headsOf(sizes, q, inputs[1]);
    const std::int64_t cacheTokens = cached ? inputs[3].size(0) / heads.sequences : 0;
    at::Tensor c = at::empty_like(q);
    at::Tensor p =
        at::empty({heads.sequences, heads.queryHeads(), heads.tokens, cacheTokens + heads.tokens}, q.options());
    for (std::int64_t i = 0; i < heads.sequences; ++i) {
        const at::Tensor queries = queriesOf(rowsOf(q, i, heads), heads);
        // A part [first, ...) of the keys or values, as the product needs it.
        const auto part = [&](int input) { return keysOf(rowsOf(inputs[std::size_t(input)], i, heads), heads); };
        const auto scores = [&](int input) { return batchedProduct(queries, transposed(part(input))); };
        at::Tensor all = joined(cached ? scores(3) : at::Tensor(), scores(1), 2);
        at::Tensor probabilities = probabilitiesOf(p, i, heads);
        probabilities.copy_(softmaxOf(all.to(statisticType(q)), heads));
        at::Tensor mixed = batchedProduct(probabilities.narrow(2, cacheTokens, heads.tokens), part(2));
        if (cached)
            mixed.add_(batchedProduct(probabilities.narrow(2, 0, cacheTokens), part(4)));
        putQueries(rowsOf(c, i, heads), mixed, heads);
    }
    return {std::move(c), std::move(p)};
}

std::vector<at::Tensor> attentionCoreBackward(const AttentionSizes &sizes, const std::vector<at::Tensor> &inputs)
{
    const at::Tensor &dC = inputs[0];
    const at::Tensor &q = inputs[1];
    const at::Tensor &k = inputs[2];
    const at::Tensor &v = inputs[3];
    const Heads heads = headsOf(sizes, q, k);
    const at::ScalarType wide = statisticType(q);
    at::Tensor dQ = at::empty_like(q);
    at::Tensor dK = at::empty_like(k);
    at::Tensor dV = at::empty_like(v);
    for (std::int64_t i = 0; i < heads.sequences; ++i) {
        const at::Tensor queries = queriesOf(rowsOf(q, i, heads), heads);
        const at::Tensor arriving = queriesOf(rowsOf(dC, i, heads), heads);
        const at::Tensor keys = keysOf(rowsOf(k, i, heads), heads);
        const at::Tensor values = keysOf(rowsOf(v, i, heads), heads);
        const at::Tensor p = probabilitiesOf(inputs[4], i, heads);
        const at::Tensor dP = batchedProduct(arriving, transposed(values)).to(wide);
        const at::Tensor dScores =
            at::_softmax_backward_data(dP, p.to(wide), -1, wide).mul_(heads.scale()).to(q.scalar_type());
        putQueries(rowsOf(dQ, i, heads), batchedProduct(dScores, keys), heads);
        // The products over g·s queries add up the heads of a group by themselves.
        keysOf(rowsOf(dK, i, heads), heads).copy_(batchedProduct(transposed(dScores), queries));
        keysOf(rowsOf(dV, i, heads), heads).copy_(batchedProduct(transposed(p), arriving));
    }
    return {std::move(dQ), std::move(dK), std::move(dV)};
}

} // namespace shardscope
