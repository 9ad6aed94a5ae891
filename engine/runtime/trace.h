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
    std::int64_t startNs = 0; ///< of the whole iteration
    std::int64_t endNs = 0;
    std::int64_t orderedNs = 0; ///< how long the host was busy with ordering it, by the host's clock

    /// A computation.
    void add(int step, Moment start, Moment end);
    /// A collective, and its hops.
    void add(int step, const CollectiveRecord &record);
    /// When the device has settled: puts in the times, and what was waited for late at its step.
    void settle(const Stopwatch &stopwatch);

    Moment began;
    Moment ended;

private:
    struct Moments {
        Moment start;
        Moment end;
    };
    std::vector<Moments> m_spanMoments; ///< as `spans`
    std::vector<Moments> m_hopMoments;
};

} // namespace shardscope
