// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <string>

namespace shardscope::cli {

/// { schema, experiment, tensors, steps, peak_bytes_per_rank, broken_rule }: placements and reasons as the text says
/// them, sizes in bytes.
[[nodiscard]] std::string planDocument(const Plan &plan);

} // namespace shardscope::cli
