// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"
#include "engine/plan/placement.h"
#include "engine/plan/step.h"

#include <vector>

namespace shardscope {

// The sharding algebra along one mesh axis. Each function gives the placement of the result, or the rule that forbids
// the operation, in words. It is the algebra that shows which collective is needed: an operation that would need
// another placement is refused, and only a collective changes one placement into another.

/// C = op(A)·op(B), matrices. Replicated·Replicated -> Replicated; rows·Replicated -> rows; Replicated·columns ->
/// columns; columns·rows (both along k) -> Partial; Partial·Replicated -> Partial; all else is refused. Where a slice
/// has replicas, one of two factors cut along k must hold addends: otherwise the sum counts every replica.
[[nodiscard]] Expected<Placement> matMulPlacement(Placement a, bool transposeA, Placement b, bool transposeB);
/// W with each column times its scale, a vector along the columns: cut exactly when they are.
[[nodiscard]] Expected<Placement> scaleColumnsPlacement(Placement w, Placement scales);
/// Y + b with b a vector along Y's last dimension.
[[nodiscard]] Expected<Placement> addBiasPlacement(Placement y, Placement bias);
/// Any non-linear elementwise function of tensors with equal shapes: refused on Partial.
[[nodiscard]] Expected<Placement> nonLinearPlacement(const std::vector<Placement> &inputs);
/// A + B: equal placements; Partial + Partial stays Partial.
[[nodiscard]] Expected<Placement> addPlacement(Placement a, Placement b);
/// Sum over the rows of a matrix.
[[nodiscard]] Expected<Placement> sumRowsPlacement(Placement y);
/// A function of each row of X [t, h] as a whole (a norm); `others` run along the columns and must be whole.
[[nodiscard]] Expected<Placement> rowWisePlacement(Placement x, const std::vector<Placement> &others);
/// Core attention: heads are cut by columns, and K, V may have replicas of a head. Tokens may be cut only between whole
/// sequences (`wholeSequences`).
[[nodiscard]] Expected<Placement> attentionPlacement(Placement q, Placement k, Placement v, bool wholeSequences);
/// {dQ, dK, dV}: a replica has seen its own query heads only, so its dK and dV are addends.
[[nodiscard]] std::vector<Placement> attentionGradientPlacements(Placement q, Placement k, Placement v);
/// X = E[ids]: rows of E cut -> Partial, because a rank knows its own ids only; columns of E cut -> columns.
[[nodiscard]] Expected<Placement> lookupPlacement(Placement ids, Placement e);
/// A statistic of each row of logits Z, given others that must be whole: Z cut by columns -> Partial (`reduce`).
[[nodiscard]] Expected<Placement> rowStatisticPlacement(Placement z, const std::vector<Placement> &others,
                                                        ReduceOp reduce);
/// Elementwise on Z with one number per row from `others`.
[[nodiscard]] Expected<Placement> withRowStatisticsPlacement(Placement z, const std::vector<Placement> &others);
/// Replicated -> Shard{dim}.
[[nodiscard]] Expected<Placement> slicePlacement(Placement x, int dim);
/// all-reduce Partial -> Replicated (or, among the replicas of a slice, addends -> the slice), reduce-scatter Partial
/// -> Shard{dim}, all-gather Shard{dim} -> Replicated, reduce Partial -> Root, broadcast Root -> Replicated.
[[nodiscard]] Expected<Placement> collectivePlacement(const Collective &collective, Placement x);

} // namespace shardscope
