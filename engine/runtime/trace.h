// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"

#include <vector>

namespace shardscope {

/// What one rank records in one iteration: kept in memory while it runs and written after it, so that a slow reader
/// cannot disturb a measurement.
struct Trace {
    int rank = 0;
    int iteration = 0;
    bool warmup = false;
    std::vector<SpanEvent> spans;
    std::vector<HopEvent> hops;
};

} // namespace shardscope
