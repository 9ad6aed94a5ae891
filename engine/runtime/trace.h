// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"
#include "engine/runtime/communicator.h"

#include <cstdint>
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

    /// A computation.
    void add(int step, std::int64_t startNs, std::int64_t endNs);
    /// A collective, and its hops.
    void add(int step, const CollectiveRecord &record);
    /// What was waited for late then stands at its step.
    void sortBySteps();
};

} // namespace shardscope
