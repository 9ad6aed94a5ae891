// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/step.h"
#include "engine/runtime/torch_headers.h"
#include "engine/runtime/weights.h"

#include <initializer_list>
#include <vector>

namespace shardscope {

/// One tensor of the reference, computed several times from the same inputs.
struct Twin {
    at::Tensor exact; ///< in float64
    at::Tensor plain; ///< in the run's dtype with the run's kernels; undefined where the run computes in float64
    /// As plain, but with each sum that the ranks share made in as many pieces, one after another. Undefined where no
    /// such sum has come so far, and in backward.
    at::Tensor pieces{};
};

/// The slice along one dimension, a view.
[[nodiscard]] Twin part(const Twin &twin, int dim, Slice slice);
/// The same for a rectangle of a matrix or a part of a vector.
[[nodiscard]] at::Tensor part(const at::Tensor &tensor, const Region &region);
/// Parts joined along rows.
[[nodiscard]] Twin joinRows(const std::vector<Twin> &parts);

/// What the run's kernel makes of the plain twins; undefined tensors, as many as any kernel has outputs, where there
/// are none.
[[nodiscard]] std::vector<at::Tensor> plainOf(const Step &step, std::initializer_list<Twin> inputs);
[[nodiscard]] std::vector<at::Tensor> plainOf(StepKind kind, std::initializer_list<Twin> inputs);

/// What the run's kernel makes of plain twins and of pieces: results without an exact twin.
[[nodiscard]] std::vector<Twin> kernelOf(const Step &step, std::initializer_list<Twin> inputs);
/// Its one result, with the exact twin as given.
[[nodiscard]] Twin computed(at::Tensor exact, StepKind kind, std::initializer_list<Twin> inputs);

/// a + b.
[[nodiscard]] Twin sum(const Twin &a, const Twin &b);

} // namespace shardscope
