// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace shardscope {

/// A stretch of time in nanoseconds since the start of the step.
struct TimeRange {
    double begin = 0;
    double end = 0;
    [[nodiscard]] double size() const { return end - begin; }
    bool operator==(const TimeRange &) const = default;
};

/// Ticks at multiples of 1, 2 or 5 times a power of ten nanoseconds; all labels in one unit, in C locale.
struct TimeTicks {
    std::vector<double> at;
    std::vector<QString> labels;
    double step = 1;
    QString unit; ///< "ns", "µs", "ms", "s"
};
/// At most `maximum` ticks inside the range; at least one step is 1 ns.
[[nodiscard]] TimeTicks timeTicks(const TimeRange &range, int maximum);

/// Nothing shorter is ever shown: ten nanoseconds over the whole width.
inline constexpr double kShortestView = 10;

/// The whole step with a small margin on both sides.
[[nodiscard]] TimeRange wholeView(double durationNs);
/// `selection` with room around it, inside the whole view.
[[nodiscard]] TimeRange selectionView(const TimeRange &selection, double durationNs);
/// Moves and shrinks `range` until it lies inside the whole view; its size is at least kShortestView.
[[nodiscard]] TimeRange clampedView(const TimeRange &range, double durationNs);
/// Scales by `factor` (below 1: in); `anchor` keeps its place on the screen unless a limit forbids it.
[[nodiscard]] TimeRange zoomedView(const TimeRange &range, double factor, double anchor, double durationNs);
[[nodiscard]] TimeRange pannedView(const TimeRange &range, double delta, double durationNs);

} // namespace shardscope
