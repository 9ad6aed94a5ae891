// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"

namespace shardscope {

/// A run made by hand: an MLP of 256 tokens (decode: 4), h = 1024, f = 4096, with times that look like CPU ranks and
/// never change. No engine code makes the plan, so that a picture test fails for the picture alone.
struct SampleOptions {
    Phase phase = Phase::Training;
    int ranks = 4;
    int warmups = 2;
    int timed = 5;
    Source source = Source::Measured;
    bool ring = true;            ///< with hop events; else the library's
    double slowdown = 1;         ///< of every duration
    double lateMilliseconds = 0; ///< rank 1 begins each timed step late
};
[[nodiscard]] Run sampleRun(const SampleOptions &options);

} // namespace shardscope
