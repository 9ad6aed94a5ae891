// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_data.h"

namespace shardscope {

/// What the drawn step went to; a title over its picture must not speak of other steps. Times in nanoseconds.
struct StepTimes {
    std::int64_t elapsedNs = 0;       ///< of the slowest rank
    std::int64_t communicationNs = 0; ///< of the rank that communicates longest, waiting included
    std::int64_t hiddenNs = 0;        ///< of that rank's communication: while it computes
    std::int64_t waitNs = 0;          ///< what is hatched on the rank that waits longest
    double idleShare = 0;             ///< of all ranks' time in this step what they do not compute
};
/// Zeros where no step is drawn.
[[nodiscard]] StepTimes stepTimes(const TimelineData &data);

} // namespace shardscope
