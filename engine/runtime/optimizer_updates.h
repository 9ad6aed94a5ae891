// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <map>

namespace shardscope {

/// What an optimizer made of a generated tensor -> that tensor: its last version, laid out alike.
[[nodiscard]] std::map<TensorId, TensorId> updatesOf(const Plan &plan);

} // namespace shardscope
