// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"

namespace shardscope {

/// What a stream says of a machine, as far as it can be: numbers beyond any machine become unknown, names are cut and
/// lose what would steer a terminal or turn a line of text round, and nodes, GPUs and paths that cannot be are left
/// out. `leftOut` counts those.
[[nodiscard]] Topology plausible(Topology topology, int &leftOut);

/// Shares within 0 to 100 %, GPUs' numbers in range or unknown.
[[nodiscard]] LoadEvent plausible(LoadEvent load);

} // namespace shardscope
