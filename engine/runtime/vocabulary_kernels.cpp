// SPDX-License-Identifier: MIT
#include "engine/runtime/vocabulary_kernels.h"

#include "engine/runtime/products.h"

namespace shardscope {

namespace {

/// Ids as seen by a rank that holds `count` of them from `first` on.
struct OwnIds {
    at::Tensor index; ///< within what is held; 0 for the ids of others
    at::Tensor own;   ///< whether it is held
};

OwnIds ownIds(const at::Tensor &ids, std::int64_t first, std::int64_t count)
{
    at::Tensor index = ids - first;
    at::Tensor own = index.ge(0).logical_and_(index.lt(count));
    index.mul_(own);
    return {std::move(index), std::move(own)};
}

at::Tensor column(const at::Tensor &vector)
{
    return vector.unsqueeze(1);
}

} // namespace

at::Tensor embeddingLookup(const at::Tensor &ids, const at::Tensor &e, std::int64_t first)
{
    const OwnIds found = ownIds(ids, first, e.size(0));
    return at::index_select(e, 0, found.index).masked_fill_(column(found.own.logical_not()), 0);
}

at::Tensor embeddingBackward(const at::Tensor &ids, const at::Tensor &dX, std::int64_t first, std::int64_t rows)
{
    const OwnIds found = ownIds(ids, first, rows);
    const at::ScalarType type = statisticType(dX);
    const at::Tensor own = dX.to(type).mul(column(found.own));
    at::Tensor dE = at::zeros({rows, dX.size(1)}, dX.options().dtype(type));
    // A GPU's index_add_ adds in whatever order its threads come, so that replicas would differ by a few bits.
    if (dX.is_cuda())
        dE.index_put_({found.index}, own, /*accumulate=*/true);
    else
        dE.index_add_(0, found.index, own);
    return dE.to(dX.scalar_type());
}

at::Tensor rowMax(const at::Tensor &z)
{
    return at::amax(z, {1}).to(statisticType(z));
}

at::Tensor sumExp(const at::Tensor &z, const at::Tensor &m)
{
    return at::sub(z.to(statisticType(z)), column(m)).exp_().sum(1);
}

at::Tensor targetLogit(const at::Tensor &z, const at::Tensor &m, const at::Tensor &ids, std::int64_t first)
{
    const OwnIds found = ownIds(ids, first, z.size(1));
    const at::Tensor logit = at::gather(z, 1, column(found.index)).squeeze(1).to(statisticType(z));
    return at::sub(logit, m).mul_(found.own);
}

at::Tensor crossEntropy(const at::Tensor &s, const at::Tensor &t)
{
    return at::log(s).sub_(t);
}

at::Tensor crossEntropyBackward(const at::Tensor &z, const at::Tensor &m, const at::Tensor &s, const at::Tensor &ids,
                                std::int64_t first, double factor, bool mayOverwrite)
{
    const at::ScalarType type = statisticType(z);
    const OwnIds found = ownIds(ids, first, z.size(1));
    at::Tensor d = mayOverwrite && z.scalar_type() == type ? z : z.to(type, /*non_blocking=*/false, /*copy=*/true);
    d.sub_(column(m)).exp_().div_(column(s));
    d.scatter_add_(1, column(found.index), column(found.own).to(type).neg_());
    return d.mul_(factor).to(z.scalar_type());
}

} // namespace shardscope
