// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan_builder.h"

namespace shardscope {

// One function per scheme: it states tensors, placements and operations, and knows nothing of who runs or draws them.
// Forward, and in training backward; backward goes as Megatron-LM does it: input gradient, its collective, then the
// weight gradient, which does not wait for that collective and so may overlap it.

/// Y [t, f] = X [t, h]·W [h, f], W cut by columns.
void buildColumn(PlanBuilder &plan);
/// Y [t, h] = X [t, f]·W [f, h], W cut by rows.
void buildRow(PlanBuilder &plan);
/// The pair column -> row with GELU or SwiGLU between.
void buildMlp(PlanBuilder &plan);
/// Row, wrong on purpose: every rank adds the bias to its addend.
void buildBugRowBiasEachRank(PlanBuilder &plan);
/// Column, wrong on purpose: an all-reduce adds different columns of Y.
void buildBugAllReduceColumns(PlanBuilder &plan);

/// A linear layer Y = X·W + b as the backward pass needs it; `bias` is kNoTensor with bias off.
struct Linear {
    TensorId x = kNoTensor;
    TensorId w = kNoTensor;
    TensorId bias = kNoTensor;
};

/// dW = Xᵀ·dY and db = sum of dY over tokens, as results. Never a collective: each rank's part is complete.
void weightGradients(PlanBuilder &plan, const Linear &layer, TensorId dY);

} // namespace shardscope
