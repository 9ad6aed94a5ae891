// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/statistics.h"

#include <cstddef>
#include <vector>

namespace shardscope {

// Which of two step times is shorter: every headline that names a winner or a factor asks here.

/// Whether another measurement may turn them round: p10 to p90 of both overlap. Of single values, as a prediction has,
/// nothing is known to vary.
[[nodiscard]] bool differLessThanTheyVary(const Distribution &a, const Distribution &b);

/// How many times as fast as `one`, a run on one rank, the run `many` on N can be: N, and on CPU ranks no more than the
/// cores that one rank's threads had already, where the threads say it. Infinite where nothing can disturb it: a
/// prediction.
[[nodiscard]] double mostPlausibleSpeedup(const Run &one, const Run &many);

enum class Pace {
    Faster,    ///< N ranks, by more than both vary
    NotFaster, ///< as fast or slower, by more than both vary
    Unclear,   ///< the times differ less than they vary
    Disturbed, ///< N ranks seem faster than they can be: busy cores, or caches that one rank's data does not fit
};
/// `most` is mostPlausibleSpeedup() of the two runs.
[[nodiscard]] Pace paceOf(const Distribution &one, const Distribution &many, double most);

/// Positions of those of which each may be the shortest: all that differ from the smallest median less than they vary.
/// One position alone is a clear winner. Entries without a median (0) are left out.
[[nodiscard]] std::vector<std::size_t> fastestOf(const std::vector<Distribution> &steps);

} // namespace shardscope
