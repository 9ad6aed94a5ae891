// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace shardscope {

/// The least of 1, 2, 5 times a power of ten that is not below `smallest`: the step between the ticks of an axis.
[[nodiscard]] double niceStep(double smallest);

} // namespace shardscope
