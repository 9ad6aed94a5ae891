// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"
#include "ui/timeline/time_axis.h"

#include <cstdint>
#include <vector>

namespace shardscope {

/// One span of the shown iteration; times in nanoseconds since its start.
struct TimelineBar {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t waitNs = 0;   ///< first part of a collective: its duration beyond the shortest rank's
    std::int64_t hiddenNs = 0; ///< of a collective: while the rank computes
    int step = 0;              ///< Plan::steps
    int rank = 0;
    bool collective = false;
    Pass pass = Pass::Forward;
    CollectiveOp op = CollectiveOp::AllReduce;
    MeshAxis axis = MeshAxis::Tp; ///< of a collective
    std::int64_t payloadBytes = 0;
    std::int64_t sentBytes = 0;
    std::int64_t launchNs = 0; ///< that the host took to order it; 0: the host did the work itself
    [[nodiscard]] std::int64_t duration() const { return end - begin; }
};

/// What a rank does for one micro-batch in one pass, from its first bar to its last.
struct MicroBatchSpan {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    int microBatch = 0;
    Pass pass = Pass::Forward;
};

/// A stretch of time in which a rank communicates and computes at once.
struct HiddenSpan {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// The bars of one rank and stream in time order; collectives of each mesh axis have a lane of their own.
struct TimelineLane {
    int rank = 0;
    Stream stream = Stream::Compute;
    MeshAxis axis = MeshAxis::Tp; ///< of collectives
    std::vector<TimelineBar> bars;
    /// Largest end of bars[0..i]: rises with i, so that a binary search also finds a long bar that began far left.
    std::vector<std::int64_t> latestEnd;
    std::vector<std::int64_t> hopStarts;      ///< where hops 1, 2, ... of our own algorithms began
    std::vector<MicroBatchSpan> microBatches; ///< of compute, where there are several
    std::vector<HiddenSpan> hidden;           ///< of collectives
};

/// Where a pass begins and ends, over all ranks.
struct PassSection {
    Pass pass = Pass::Forward;
    TimeRange range;
};

/// Which of the timed iterations is shown. Median, fastest and slowest follow a run that is still being refined.
struct IterationChoice {
    enum class Kind { Median, Fastest, Slowest, Number } kind = Kind::Median;
    int number = 0; ///< of Number: 1-based among the complete timed iterations; one that is not there: the median
    bool operator==(const IterationChoice &) const = default;
};

/// The iteration that the timeline shows, ready to be drawn.
struct TimelineData {
    std::vector<TimelineLane> lanes; ///< of each row its compute, then its collectives, an axis after the other
    /// The ranks that have a row, ascending: all of them, or of more than can be drawn one for those that do the same.
    std::vector<int> rows;
    std::vector<int> alike;     ///< by row: ranks that it stands for
    std::vector<MeshAxis> axes; ///< along which the plan communicates; tp where it does not
    std::vector<PassSection> sections;
    int ranks = 0;
    int iteration = -1;  ///< as in the stream; -1: nothing to show
    int timedNumber = 0; ///< 1-based among the complete timed iterations
    int timedCount = 0;
    int medianNumber = 0;              ///< of the length in the middle, the lower of two
    std::vector<std::int64_t> timedNs; ///< length of each complete timed iteration: the slowest rank's own
    std::int64_t durationNs = 0;       ///< from the first rank's start to the last rank's end
    std::int64_t longestWaitNs = 0;
    std::int64_t hiddenNs = 0; ///< of all collectives together
    int rejected = 0;          ///< impossible records, not drawn: the run's count and what is found here
    bool communicates = false;

    [[nodiscard]] bool empty() const { return iteration < 0; }
    /// Whether section `index` begins long before the one before it ends: a pipeline's stages are in both at once.
    [[nodiscard]] bool interleaved(std::size_t index) const;
    [[nodiscard]] int rowCount() const { return static_cast<int>(rows.size()); }
    /// -1 of a rank without one.
    [[nodiscard]] int rowOf(int rank) const;
    [[nodiscard]] int lanesPerRank() const { return 1 + static_cast<int>(axes.size()); }
    /// 0: compute; 1, 2, ...: collectives of the axes. Only of a rank that has a row.
    [[nodiscard]] const TimelineLane &laneAt(int rank, int place) const;
    /// Of communication: the lane of the first axis.
    [[nodiscard]] const TimelineLane &lane(int rank, Stream stream) const;
    /// Which of its rank's lanes a bar lies on.
    [[nodiscard]] int placeOf(const TimelineBar &bar) const;
    /// The collectives of a rank over all axes, in time order.
    [[nodiscard]] std::vector<const TimelineBar *> collectives(int rank) const;
};

/// The number (1-based) that a choice means; 0 when there is none.
[[nodiscard]] int chosenNumber(const TimelineData &data, const IterationChoice &choice);

/// Picks among the timed iterations that every rank ended, never a warm-up.
[[nodiscard]] TimelineData timelineData(const Run &run, const IterationChoice &choice = {});

} // namespace shardscope
