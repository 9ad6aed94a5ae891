// SPDX-License-Identifier: MIT
#include "engine/runtime/norm_kernels.h"

#include "engine/runtime/products.h"

namespace shardscope {

namespace {

/// Of each row, [t, 1].
struct RowStatistics {
    at::Tensor mean;
    at::Tensor inverseDeviation;
};

RowStatistics statisticsOf(const at::Tensor &x)
{
    auto [variance, mean] = at::var_mean(x, at::IntArrayRef{1}, /*unbiased=*/false, /*keepdim=*/true);
    return {std::move(mean), variance.add_(kNormEpsilon).rsqrt_()};
}

} // namespace

at::Tensor layerNorm(const at::Tensor &x, const at::Tensor &scale, const at::Tensor &shift)
{
    const at::ScalarType type = statisticType(x);
    return std::get<0>(at::native_layer_norm(x.to(type), {x.size(1)}, scale.to(type), shift.to(type), kNormEpsilon))
        .to(x.scalar_type());
}

at::Tensor layerNormBackward(const at::Tensor &dY, const at::Tensor &x, const at::Tensor &scale)
{
    const at::ScalarType type = statisticType(x);
    const at::Tensor wide = x.to(type);
    const RowStatistics rows = statisticsOf(wide);
    return std::get<0>(at::native_layer_norm_backward(dY.to(type), wide, {x.size(1)}, rows.mean, rows.inverseDeviation,
                                                      scale.to(type), {}, {true, false, false}))
        .to(x.scalar_type());
}

at::Tensor layerNormScaleGradient(const at::Tensor &dY, const at::Tensor &x)
{
    const at::ScalarType type = statisticType(x);
    const at::Tensor wide = x.to(type);
    const RowStatistics rows = statisticsOf(wide);
    return (wide - rows.mean).mul_(rows.inverseDeviation).mul_(dY.to(type)).sum(0).to(x.scalar_type());
}

} // namespace shardscope
