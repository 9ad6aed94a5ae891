// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan_builder.h"

namespace shardscope {

// One function per scheme: it states tensors, placements and operations, and knows nothing of who runs or draws them.
// Forward, and in training backward; backward goes as Megatron-LM does it: input gradient, its collective, then the
// weight gradient, which does not wait for that collective and so may overlap it. What several schemes are made of
// stands in parts/.

/// Y [t, f] = X [t, h]·W [h, f], W cut by columns.
void buildColumn(PlanBuilder &plan);
/// Y [t, h] = X [t, f]·W [f, h], W cut by rows.
void buildRow(PlanBuilder &plan);
/// MLP, attention or block, L times, on the mesh tp x dp x pp: also the data-parallel, ZeRO and pipeline schemes.
void buildModel(PlanBuilder &plan);
/// Y [t, h] = E[ids], E [V, h] cut by rows.
void buildEmbedding(PlanBuilder &plan);
/// Logits Z [t, V] = X [t, h]·W [h, V], W cut by columns, and their cross-entropy; in inference the last position's.
void buildLogits(PlanBuilder &plan);
/// The bug lab: the same layers, wrong on purpose.
void buildBug(PlanBuilder &plan);

} // namespace shardscope
