// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"

#include <QString>
#include <vector>

namespace shardscope {

/// "2026-03-02 10:00", when the run began, in local time and in the same form for every reader.
[[nodiscard]] QString runDate(const Run &run);

/// "measured 2026-03-02 10:00 on 2 cores, ...", "recorded on ..., ...", "predicted for 8 x H100 ...".
[[nodiscard]] QString sourcePhrase(const Run &run);

/// "measured here"; of ranks on another machine "measured on gpu1".
[[nodiscard]] QString measuredWhere(const Run &run);

/// Which machine a prediction is for, in few words: "8 x H100 SXM 80 GB", "this machine", "gpu1".
[[nodiscard]] QString predictedMachine(const Run &run);

/// "16 ranks on 2 nodes of 8: ports between them assumed" of a prediction beyond one node of its machine; else empty.
[[nodiscard]] QString nodeNote(const Run &run);

/// "12 of 20 steps" where fewer were timed than asked for: cancelled, killed, cut off or out of time. Empty where all
/// are there, and for predictions.
[[nodiscard]] QString stepsNote(const Run &run);

/// "training 12 of 20 steps, decode 5 of 20 steps": what is not whole, in the order given.
[[nodiscard]] QString partialNote(const std::vector<const Run *> &runs);

/// Whether the run's own end is not there: it was cancelled, killed or cut off, and its checks were not made.
[[nodiscard]] bool isBrokenOff(const Run &run);

} // namespace shardscope
