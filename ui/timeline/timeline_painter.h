// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"
#include "ui/timeline/timeline_data.h"

#include <QRectF>

class QPainter;

namespace shardscope {

/// What the exported timeline depends on.
struct TimelineFrame {
    const Run *run = nullptr;
    const Theme *theme = nullptr;
    double unit = 1;
    bool stale = false;
    IterationChoice choice;
};

/// The whole step of the chosen timed iteration, on the theme's background: lanes, legend, time axis. The same
/// plottable as on screen.
void paintTimeline(QPainter &painter, const QRectF &area, const TimelineFrame &frame);

} // namespace shardscope
