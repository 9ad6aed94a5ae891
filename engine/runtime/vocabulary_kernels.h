// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/torch_headers.h"

namespace shardscope {

// Embedding and cross-entropy where a rank may hold only a part of the vocabulary: the rows of E, or columns of the
// logits Z, from `first` on. Ids [t] are I64. Statistics M, S, T and the loss are [t], f32 or, of f64 logits, f64.

/// Row ids[i] of E [n, h]; zeros where that is another rank's.
[[nodiscard]] at::Tensor embeddingLookup(const at::Tensor &ids, const at::Tensor &e, std::int64_t first);

/// dE [rows, h]: of each row the sum of dX [t, h] over the tokens with that id.
[[nodiscard]] at::Tensor embeddingBackward(const at::Tensor &ids, const at::Tensor &dX, std::int64_t first,
                                           std::int64_t rows);

/// M: the largest logit of each row of Z [t, n].
[[nodiscard]] at::Tensor rowMax(const at::Tensor &z);

/// S: the sum over the columns of exp(Z - M).
[[nodiscard]] at::Tensor sumExp(const at::Tensor &z, const at::Tensor &m);

/// T: Z - M in the target's column; 0 where that is another rank's.
[[nodiscard]] at::Tensor targetLogit(const at::Tensor &z, const at::Tensor &m, const at::Tensor &ids,
                                     std::int64_t first);

/// log S - T.
[[nodiscard]] at::Tensor crossEntropy(const at::Tensor &s, const at::Tensor &t);

/// dZ = (exp(Z - M)/S - onehot) · factor, in the dtype of Z; in its memory where that is allowed.
[[nodiscard]] at::Tensor crossEntropyBackward(const at::Tensor &z, const at::Tensor &m, const at::Tensor &s,
                                              const at::Tensor &ids, std::int64_t first, double factor,
                                              bool mayOverwrite);

} // namespace shardscope
