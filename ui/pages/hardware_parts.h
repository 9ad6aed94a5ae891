// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/hardware_sheet.h"

namespace shardscope {

// Parts of the hardware page's layout. Each takes left, top and width of `room` and returns the place below itself.

/// NUMA nodes with cores, memory and GPUs, what joins these, and the ranks.
double layTopology(SheetWriter &writer, const HardwareValues &values, const QRectF &room);
/// NVLinks or a switch under the nodes; `cards` are the GPUs' places.
double layFabric(SheetWriter &writer, const Topology &topology, const std::vector<QRectF> &cards, const QRectF &room);
/// Which ranks run on it, or on which hosts.
double layRanks(SheetWriter &writer, const HardwareValues &values, const QRectF &room);
/// Every pair of GPUs with its path, then the kinds of paths.
double layPaths(SheetWriter &writer, const Topology &topology, const QRectF &room);
/// How busy processor and memory are, and have been for a minute; `extra` more pixels for the curve.
double layLoads(SheetWriter &writer, const HardwareValues &values, const QRectF &room, double extra);
/// The node that is predicted for; with its sources where `extra` more pixels have room for them.
double layPredicted(SheetWriter &writer, const HardwareValues &values, const QRectF &room, double extra);

/// A caption in bold and what follows it, as many lines as they take.
double layCaption(SheetWriter &writer, const QRectF &room, const QString &bold, const QString &rest);

} // namespace shardscope
