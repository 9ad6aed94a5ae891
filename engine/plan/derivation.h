// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

namespace shardscope {

/// One statement of a derivation: what it is about, and what is so.
struct DerivationLine {
    Text caption; ///< "Before", "Needed by"
    Text text;
};

/// Why a step communicates as it does, with this plan's shapes; title and reason are the step's own. Of every step what
/// it takes and gives, and the rule of the sharding algebra; of a collective also who made its addends or shards and
/// who needs the result, payload, bytes on the wire and hops as formulas with numbers and their source; of a weight
/// gradient whether it has to be reduced, and which of the plan's are.
[[nodiscard]] std::vector<DerivationLine> derivation(const Plan &plan, const Step &step);

/// What weight gradients need in this plan: which are reduced, or that none is. Empty where none is computed.
[[nodiscard]] std::vector<DerivationLine> weightGradientLines(const Plan &plan);

} // namespace shardscope
