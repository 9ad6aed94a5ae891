// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/reference.h"

#include <vector>

namespace shardscope {

/// Tokens of the pass that is checked: enough to see every mistake, few enough to be cheap at any size.
inline constexpr std::int64_t kCheckedTokens = 16;

/// The same experiment on at most kCheckedTokens tokens over all micro-batches and replicas, as far as it can be cut: a
/// micro-batch keeps two tokens of a sequence, or one a tensor-parallel rank where tokens are cut; a KV cache keeps at
/// most as many tokens per sequence.
[[nodiscard]] Experiment checkedExperiment(const Experiment &experiment);

/// Largest relative error that passes in that dtype (engine.md, measured on several libraries).
[[nodiscard]] double errorLimit(DType dtype);
/// The same where the unsharded computation in that dtype has the relative error `unsharded`: at most three times that,
/// plus what adding `ranks` addends in that dtype may cost, `depth` times in a row. Sharding is no excuse for an error
/// that one device would not make.
[[nodiscard]] double errorLimit(DType dtype, double unsharded, int ranks, std::int64_t depth = 1);

/// Whether several ranks hold the same elements of it and should agree bit for bit; addends are each rank's own.
[[nodiscard]] bool isHeldTwice(const Tensor &tensor, const Mesh &mesh);

/// ‖y - ref‖/‖ref‖ of every result of the plan that `executor` has just run, each rank comparing what it holds, and
/// whether ranks that should hold the same hold the same bits. Addends that nobody has summed are compared as they are.
/// All ranks of the plan's mesh call it; every rank gets the same answer.
[[nodiscard]] std::vector<CheckEvent> checkResults(const Plan &plan, const Executor &executor,
                                                   const ValueSource &source, Communicator &communicator);

} // namespace shardscope
