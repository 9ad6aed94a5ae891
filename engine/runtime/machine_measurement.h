// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/measured_run.h"

namespace shardscope {

/// Measures what predictions for this machine need, in two to three seconds: the transfer time of each collective over
/// message sizes (BandwidthEvent), and with all ranks busy the speed of matrix products and memory (ComputeEvent).
[[nodiscard]] EndEvent measureMachine(const MeasureCommand &command, RankSession &session);

} // namespace shardscope
