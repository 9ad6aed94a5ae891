// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace shardscope {

/// Operations of a step, those of all ranks together, above which no page measures it: about a second on two cores.
inline constexpr double kMostFlops = 3e10;

} // namespace shardscope
