// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_data.h"

#include <QLineF>
#include <QRectF>
#include <QVector>
#include <vector>

namespace shardscope {

/// A bar and where it is drawn, in pixels from the left edge of the view. Never narrower than one pixel.
struct VisibleBar {
    const TimelineBar *bar = nullptr;
    double left = 0;
    double right = 0;
    double waitEnd = 0; ///< end of the waiting part; equals left when there is none
};

/// The bars of `lane` inside `view`, in time order, drawn on `pixels` pixels. With `merge`, of all bars shorter than
/// a pixel that fall into the same pixel only the longest is given, so that the cost follows the width, not the data.
[[nodiscard]] std::vector<VisibleBar> visibleBars(const TimelineLane &lane, const TimeRange &view, double pixels,
                                                  bool merge);

/// The bar at `timeNs`, or the nearest one within `toleranceNs` of it; null: none. A bar drawn one pixel wide can be
/// hit on that pixel.
[[nodiscard]] const TimelineBar *barAt(const TimelineLane &lane, double timeNs, double toleranceNs);

/// First bar that can reach into the view; bars.size() when none does.
[[nodiscard]] std::size_t firstReaching(const TimelineLane &lane, double timeNs);

/// Lines at 45 degrees, `spacing` pixels apart, cut off at the rectangle: a hatch without clip path or pattern brush,
/// which vector formats do not know. Lines of neighbouring rectangles meet.
[[nodiscard]] QVector<QLineF> hatchLines(const QRectF &rect, double spacing);

} // namespace shardscope
