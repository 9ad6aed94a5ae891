// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/hop_schedule.h"

#include <QPointF>
#include <QRectF>
#include <vector>

namespace shardscope {

/// The way of one message under the cards, as a polyline from node to node.
struct LinkLane {
    Transfer transfer; ///< of the schedule, whose ranks are those of the group
    int from = 0;      ///< ranks of the mesh
    int to = 0;
    std::vector<QPointF> points;
    bool wraps = false; ///< the ring's way back, on the lower lane
    bool apart = false; ///< from one host to another
};

/// Where the messages of a hop run. Ring neighbours get straight lanes, the last one the way back below; anything else
/// arcs whose depth grows with the distance.
struct LinkLanes {
    struct Node {
        int rank = 0; ///< of the mesh
        QPointF at;
        QPointF card; ///< where its card's edge is
    };
    std::vector<Node> nodes;
    std::vector<LinkLane> lanes;
    QSizeF token; ///< of a message
};

/// Of one group: `ranks` of the mesh, in the schedule's order. `cards`: the group's cards, side by side or one above
/// the other; `thickness`: the room for links under or beside them.
[[nodiscard]] LinkLanes linkLanes(const HopSchedule &schedule, int hop, const std::vector<int> &ranks,
                                  const std::vector<QRectF> &cards, double thickness);

[[nodiscard]] double lengthOf(const std::vector<QPointF> &line);
/// The point at `share` (0..1) of the length.
[[nodiscard]] QPointF pointAt(const std::vector<QPointF> &line, double share);

} // namespace shardscope
