// SPDX-License-Identifier: MIT
#include "engine/runtime/products.h"

#include "engine/runtime/torch_types.h"

namespace shardscope {

namespace {

/// Exact only when sums are kept in f32: 4096 ones are more than bf16 (256) and f16 (2048) can count to.
bool countsTo4096(DType dtype)
{
    const at::Tensor ones = at::ones({4, 4096}, scalarType(dtype));
    const at::Tensor standing = ones.t().contiguous();
    const auto exact = [](const at::Tensor &product) { return product.eq(4096.0).all().item<bool>(); };
    return exact(at::mm(ones, standing)) && exact(at::mm(ones, ones.t())) && exact(at::mm(standing.t(), standing)) &&
           exact(at::bmm(ones.unsqueeze(0), standing.unsqueeze(0))) &&
           exact(at::bmm(ones.unsqueeze(0), ones.t().unsqueeze(0)));
}

/// A dtype that this LibTorch cannot multiply at all has nothing to lose.
bool losesDigits(DType dtype)
{
    try {
        return !countsTo4096(dtype);
    } catch (const c10::Error &) {
        return false;
    }
}

template <typename Product>
at::Tensor inFullPrecision(const at::Tensor &a, const at::Tensor &b, Product &&product)
{
    // A GPU's library sums in f32.
    if (!a.is_cuda() && multipliesThroughF32(dtypeOf(a)))
        return product(a.to(at::kFloat), b.to(at::kFloat)).to(a.scalar_type());
    return product(a, b);
}

} // namespace

bool multipliesThroughF32(DType dtype)
{
    switch (dtype) {
    case DType::F32:
    case DType::F64:
    case DType::I64:
    case DType::I8:
        return false;
    case DType::BF16: {
        static const bool loses = losesDigits(DType::BF16);
        return loses;
    }
    case DType::F16: {
        static const bool loses = losesDigits(DType::F16);
        return loses;
    }
    }
    return false;
}

at::Tensor matrixProduct(const at::Tensor &a, const at::Tensor &b)
{
    return inFullPrecision(a, b, [](const at::Tensor &x, const at::Tensor &y) { return at::mm(x, y); });
}

at::Tensor batchedProduct(const at::Tensor &a, const at::Tensor &b)
{
    return inFullPrecision(a, b, [](const at::Tensor &x, const at::Tensor &y) { return at::bmm(x, y); });
}

at::ScalarType statisticType(const at::Tensor &tensor)
{
    return tensor.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

} // namespace shardscope
