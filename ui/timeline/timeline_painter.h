// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"
#include "ui/theme.h"

#include <QRectF>

class QPainter;

namespace shardscope {

/// What the exported timeline depends on.
struct TimelineFrame {
    const Run *run = nullptr;
    const Theme *theme = nullptr;
    double unit = 1;
    bool stale = false;
};

/// The whole step of the median timed iteration: lanes, legend, time axis. The same plottable as on screen.
void paintTimeline(QPainter &painter, const QRectF &area, const TimelineFrame &frame);

} // namespace shardscope
