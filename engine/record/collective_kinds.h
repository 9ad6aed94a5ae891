// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/statistics.h"

#include <string>
#include <vector>

namespace shardscope {

/// One collective of the plan with the plan's sizes, before anything is measured.
[[nodiscard]] CollectiveSummary plannedCollective(const Plan &plan, const Step &step);
/// All that travels in one step of the plan; none at N = 1.
[[nodiscard]] std::vector<CollectiveSummary> plannedCollectives(const Plan &plan);

/// Collectives that differ by layer and micro-batch alone: one line of a table. Refers to the summaries.
using CollectiveKind = std::vector<const CollectiveSummary *>;
/// In the order in which the first of each runs.
[[nodiscard]] std::vector<CollectiveKind> kindsOf(const std::vector<CollectiveSummary> &collectives);

/// "Y", "Y.1 ... Y.4#8": first and last of the kind.
[[nodiscard]] std::string tensorsOf(const CollectiveKind &kind);
/// "dW1.2#3" -> "dW1": layer and micro-batch left out.
[[nodiscard]] std::string withoutPlace(const std::string &tensors);
/// How many of the kind a rank takes part in per step, as planned or observed: of the rank with the most, because each
/// pipeline stage runs its own.
[[nodiscard]] int countPerRank(const Plan &plan, const CollectiveKind &kind, int CollectiveSummary::*count);
/// Whether a table of them needs a column for the axis.
[[nodiscard]] bool severalAxes(const std::vector<CollectiveSummary> &collectives);

} // namespace shardscope
