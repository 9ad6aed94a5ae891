// SPDX-License-Identifier: MIT
#include "engine/runtime/slices.h"

namespace shardscope {

at::Tensor slicesAsRows(const at::Tensor &whole, int dim, std::int64_t count)
{
    if (dim == 0)
        return whole.contiguous().view({count, -1});
    std::vector<std::int64_t> shape = whole.sizes().vec();
    shape[std::size_t(dim)] /= count;
    shape.insert(shape.begin() + dim, count);
    return whole.view(shape).movedim(dim, 0).contiguous().view({count, -1});
}

at::Tensor rowsJoined(const at::Tensor &rows, at::IntArrayRef shardShape, int dim)
{
    std::vector<std::int64_t> shape = shardShape.vec();
    const std::int64_t count = rows.size(0);
    std::vector<std::int64_t> whole = shape;
    whole[std::size_t(dim)] *= count;
    if (dim == 0)
        return rows.contiguous().view(whole);
    shape.insert(shape.begin(), count);
    return rows.contiguous().view(shape).movedim(0, dim).contiguous().view(whole);
}

} // namespace shardscope
