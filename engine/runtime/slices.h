// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/torch_headers.h"

#include <cstdint>

namespace shardscope {

// A gather joins, and a reduce-scatter cuts, along any dimension, but what travels is rows: slice r along the dimension
// is row r.

/// [a, n·b, c] -> [n, a·b·c]: `whole` cut into `count` equal slices along `dim`; a view where that is possible.
[[nodiscard]] at::Tensor slicesAsRows(const at::Tensor &whole, int dim, std::int64_t count);

/// The way back: rows [n, elements of shard] -> the whole, joined along `dim`.
[[nodiscard]] at::Tensor rowsJoined(const at::Tensor &rows, at::IntArrayRef shardShape, int dim);

} // namespace shardscope
