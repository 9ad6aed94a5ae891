// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/timed_iterations.h"

#include <optional>

namespace shardscope {

/// Padding of one direction (Experiment::stageDelay) beside the work that it should cover, of one micro-batch.
struct Padding {
    double paddedNs = 0; ///< what was asked for
    double workNs = 0;   ///< the longest work on any stage, median over the iterations
    int tooShort = 0;    ///< micro-batches of stages whose work took longer
    int paddings = 0;    ///< of so many
    [[nodiscard]] bool covers() const { return workNs <= paddedNs; }
};

/// What the step of a pipeline says beyond its passes. Medians over the timed iterations, in nanoseconds.
struct PipelineTimes {
    /// Of the rank that communicates longest: in messages, before the other stage began to send. The clocks of two
    /// ranks are compared, which have one origin.
    double stageWaitNs = 0;
    /// Of one micro-batch, on the stage that takes longest: compute, padding included, that another stage waits for,
    /// forward and backward.
    double chainNs = 0;
    /// Of all micro-batches on that stage: compute after the gradient was handed on, which no stage waits for.
    double besideNs = 0;
    /// 1 - busy/(ranks x step) that equally long chains give with messages that take no time.
    double expectedBubble = 0;
    std::optional<Padding> forward;
    std::optional<Padding> backward;
};

/// Nothing without stages or times.
[[nodiscard]] std::optional<PipelineTimes> pipelineTimes(const Run &run, const TimedIterations &iterations);

} // namespace shardscope
