// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/runtime/torch_headers.h"

namespace shardscope {

[[nodiscard]] inline at::ScalarType scalarType(DType dtype)
{
    switch (dtype) {
    case DType::F32:
        return at::kFloat;
    case DType::F64:
        return at::kDouble;
    case DType::BF16:
        return at::kBFloat16;
    case DType::F16:
        return at::kHalf;
    case DType::I64:
        return at::kLong;
    case DType::I8:
        return at::kChar;
    }
    return at::kFloat;
}

[[nodiscard]] inline at::TensorOptions optionsOn(c10::Device device, DType dtype)
{
    return at::TensorOptions().device(device).dtype(scalarType(dtype));
}

[[nodiscard]] inline DType dtypeOf(const at::Tensor &tensor)
{
    switch (tensor.scalar_type()) {
    case at::kDouble:
        return DType::F64;
    case at::kBFloat16:
        return DType::BF16;
    case at::kHalf:
        return DType::F16;
    case at::kLong:
        return DType::I64;
    case at::kChar:
        return DType::I8;
    default:
        return DType::F32;
    }
}

[[nodiscard]] inline std::int64_t bytesOf(const at::Tensor &tensor)
{
    return tensor.numel() * std::int64_t(tensor.element_size());
}

} // namespace shardscope
