// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

namespace shardscope {

/// Bytes as a formula with a plan's numbers; E are the elements of a message that holds many different tensors. Both
/// are empty where no formula gives the plan's exact count, because chunks are uneven.
struct ByteFormula {
    std::string symbols; ///< "2 (N−1)/N · b·s·h · 4 B"
    std::string numbers; ///< "2 · 3/4 · 256 · 1024 · 4 B"
    [[nodiscard]] bool empty() const { return symbols.empty(); }
};

/// The payload S of a collective, in the dtype of its tensors.
[[nodiscard]] ByteFormula payloadFormula(const Plan &plan, const Step &collective);
/// What one rank puts on the wire: the factor of the algorithm (nccl-tests, doc/PERFORMANCE.md; a tree's and a direct
/// exchange's from their hop schedules) times S in the wire's dtype.
[[nodiscard]] ByteFormula sentFormula(const Plan &plan, const Step &collective);

/// Whether every rank of the collective sends as many bytes as every other: not in a tree, a chain or a message, and
/// not where chunks are uneven.
[[nodiscard]] bool ranksSendAlike(const Plan &plan, const Collective &collective);

/// The size of the group in formulas: "N", of several mesh axes "tp", of replicas of a KV head "r".
[[nodiscard]] std::string groupSymbol(const Plan &plan, const Collective &collective);

/// ⌈log2(ranks)⌉: the levels of a binomial tree.
[[nodiscard]] int treeLevels(int ranks);

} // namespace shardscope
