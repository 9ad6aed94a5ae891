// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"
#include "engine/plan/placement.h"
#include "engine/plan/step.h"

namespace shardscope {

// The sharding algebra along one mesh axis. Each function gives the placement of the result, or the rule that forbids
// the operation, in words. It is the algebra that shows which collective is needed: an operation that would need
// another placement is refused, and only a collective changes one placement into another.

/// C = op(A)·op(B), matrices. Replicated·Replicated -> Replicated; rows·Replicated -> rows; Replicated·columns ->
/// columns; columns·rows (both along k) -> Partial; Partial·Replicated -> Partial; all else is refused.
[[nodiscard]] Expected<Placement> matMulPlacement(Placement a, bool transposeA, Placement b, bool transposeB);
/// Y + b with b a vector along Y's last dimension.
[[nodiscard]] Expected<Placement> addBiasPlacement(Placement y, Placement bias);
/// Any non-linear elementwise function of tensors with equal shapes: refused on Partial.
[[nodiscard]] Expected<Placement> nonLinearPlacement(const std::vector<Placement> &inputs);
/// A + B: equal placements; Partial + Partial stays Partial.
[[nodiscard]] Expected<Placement> addPlacement(Placement a, Placement b);
/// Sum over the rows of a matrix.
[[nodiscard]] Expected<Placement> sumRowsPlacement(Placement y);
/// Replicated -> Shard{dim}.
[[nodiscard]] Expected<Placement> slicePlacement(Placement x, int dim);
/// all-reduce Partial -> Replicated, reduce-scatter Partial -> Shard{dim}, all-gather Shard{dim} -> Replicated.
[[nodiscard]] Expected<Placement> collectivePlacement(CollectiveOp op, Placement x, int dim);

} // namespace shardscope
