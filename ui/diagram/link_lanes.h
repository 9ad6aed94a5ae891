// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/hop_schedule.h"

#include <QPointF>
#include <QRectF>
#include <vector>

namespace shardscope {

/// The way of one message under the cards, as a polyline from node to node.
struct LinkLane {
    Transfer transfer;
    std::vector<QPointF> points;
    bool wraps = false; ///< the ring's way back, on the lower lane
};

/// Where the messages of a hop run. Ring neighbours get straight lanes, the last one the way back below; anything else
/// arcs whose depth grows with the distance.
struct LinkLanes {
    std::vector<QPointF> nodes; ///< per rank
    std::vector<LinkLane> lanes;
    QSizeF token; ///< of a message
};

/// `centres`: x of each rank's card; `band`: the room under the cards.
[[nodiscard]] LinkLanes linkLanes(const HopSchedule &schedule, int hop, const std::vector<double> &centres,
                                  const QRectF &band);

[[nodiscard]] double lengthOf(const std::vector<QPointF> &line);
/// The point at `share` (0..1) of the length.
[[nodiscard]] QPointF pointAt(const std::vector<QPointF> &line, double share);

} // namespace shardscope
