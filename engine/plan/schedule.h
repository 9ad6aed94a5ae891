// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"

#include <vector>

namespace shardscope {

/// One pipeline stage's work on one micro-batch.
struct StageWork {
    int stage = 0;
    int microBatch = 0;
    bool backward = false;
    bool operator==(const StageWork &) const = default;
};

/// The order of a pipeline: each stage's own order is that of the schedule (GPipe: all forwards, then all backwards in
/// reverse; 1F1B: at most p - s micro-batches in flight on stage s, Narayanan 2021, section 2.2), and the list as a
/// whole is in the order of starting when a forward takes one unit and a backward two, so that nothing stands before
/// what it needs.
[[nodiscard]] std::vector<StageWork> pipelineOrder(Schedule schedule, int stages, int microBatches, bool training);

/// A piece of work from `begin` to before `end`, in units of one forward; a backward takes two.
struct ScheduledWork {
    StageWork work;
    int begin = 0;
    int end = 0;
};
/// The same order with the times that made it: the picture of a pipeline.
[[nodiscard]] std::vector<ScheduledWork> pipelineTimetable(Schedule schedule, int stages, int microBatches,
                                                           bool training);

} // namespace shardscope
