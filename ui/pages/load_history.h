// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/event.h"

#include <vector>

namespace shardscope {

/// How busy a machine was at one moment.
struct LoadSample {
    double seconds = 0; ///< on a clock that only goes forward
    LoadEvent load;
    bool operator==(const LoadSample &) const = default;
};

inline constexpr double kHistorySeconds = 60;
/// Loads come every second while ranks compute: between samples further apart none did.
inline constexpr double kHistoryGapSeconds = 2.5;

/// Ascending in time; those more than a minute older than the new one are forgotten.
void addLoad(std::vector<LoadSample> &history, const LoadSample &sample);

/// Stretches of the history without a gap, as first and one past the last place.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> stretches(const std::vector<LoadSample> &history);

/// Of a CPU's load what is not the ranks', in percent.
[[nodiscard]] double othersPercent(const LoadEvent &load);
/// From here on the times of ranks are said to be disturbed. A desktop at rest stays below.
inline constexpr double kDisturbingPercent = 10;

} // namespace shardscope
