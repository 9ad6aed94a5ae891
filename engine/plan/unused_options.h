// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/refusal.h"

namespace shardscope {

/// The first option given that the experiment's scheme and phase do not use, and which of them would.
[[nodiscard]] std::optional<Refusal> unusedRefusal(const Experiment &e, const OptionValues &given);

} // namespace shardscope
