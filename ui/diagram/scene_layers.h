// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/diagram/layout.h"

#include <QPen>

namespace shardscope {

// paintDiagram in two layers. The still layer changes once per scene (and once more when the messages arrive), so the
// view keeps it as an image; only the moving layer is painted in every frame.

void paintStillLayer(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame);
/// `fraction`: the position's, not the layout's: a kept layout serves all frames of its scene.
void paintMovingLayer(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame, double fraction);

/// tensorAt for a kept layout.
[[nodiscard]] QString tensorIn(const DiagramLayout &layout, const DiagramFrame &frame, const QPointF &point);

/// Whether a click there asks why the step is there: beside the tensors of a collective, and on the words about any
/// step.
[[nodiscard]] bool asksWhy(const DiagramLayout &layout, const DiagramFrame &frame, const QPointF &point);

/// Of a link inside a host, or a broken one between hosts: the colour says what the message does.
[[nodiscard]] QPen linkPen(const QColor &colour, double width, bool betweenHosts);

/// Parts that one of the layers calls.
void paintHosts(QPainter &painter, const DiagramLayout &layout, const Theme &theme);
void paintSwatch(QPainter &painter, const SwatchBox &swatch, const DiagramLayout &layout, const DiagramFrame &frame);
void paintSchedule(QPainter &painter, const DiagramLayout &layout, const Theme &theme);
void paintMap(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame);
void paintMapMotion(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame, const Motion &motion);
/// Colour of a map cell that holds `held`.
[[nodiscard]] QColor mapColour(const CollectiveScene &collective, std::uint64_t held, int column, bool contributors,
                               const Theme &theme);

} // namespace shardscope
