// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/tensor.h"
#include "engine/runtime/torch_headers.h"
#include "engine/runtime/value_source.h"

#include <vector>

namespace shardscope {

/// A rectangle of a matrix, or a part of a vector (rows only).
struct Region {
    Slice rows;
    Slice columns{0, 1};
};

/// All of a vector or matrix; std::invalid_argument for a tensor of more dimensions, which is never generated or
/// checked.
[[nodiscard]] Region wholeRegion(const Tensor &tensor);

/// What `rank` holds of the tensor, in global elements; the cut dimension of every mesh axis and replicas are honoured.
/// Where two axes cut the same dimension, parameters (and their gradients and optimizer states) are cut by tp first,
/// because each data-parallel rank takes its part of what the tensor-parallel rank holds; tokens are cut by dp first,
/// because the ranks of one replica share the replica's sequences.
[[nodiscard]] Region localRegion(const Tensor &tensor, const Mesh &mesh, int rank);

/// The generated values of `region` in the tensor's dtype, contiguous. A matrix keeps two
/// dimensions, a vector one. f32 is only ever held for a few rows at a time.
[[nodiscard]] at::Tensor generate(const Tensor &tensor, const Region &region, const ValueSource &source);
[[nodiscard]] at::Tensor generateAsF64(const Tensor &tensor, const Region &region, const ValueSource &source);

} // namespace shardscope
