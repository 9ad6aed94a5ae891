// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/rank_main.h"

namespace shardscope {

/// A CPU rank's life (a RankMain): joins the others over Gloo, serves commands, leaves at the end of its input. 0 then,
/// 4 when the group of ranks broke, which has been said as a message.
[[nodiscard]] int rankMain(const RankContext &context);

} // namespace shardscope
