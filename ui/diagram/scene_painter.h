// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"
#include "ui/diagram/scene_list.h"
#include "ui/theme.h"

#include <QRectF>
#include <QString>

class QPainter;

namespace shardscope {

/// Everything a diagram picture depends on: same values, same pixels, on screen, in exports and in tests.
struct DiagramFrame {
    const Plan *plan = nullptr;
    const Run *run = nullptr; ///< measured or predicted times for the captions; may be null
    double position = 0;      ///< in scenes, as in Playback
    const Theme *theme = nullptr;
    double unit = 1;  ///< pixels per design pixel
    QString followed; ///< tensor to emphasise
    int hoveredStep = -1;
    bool legend = true;
    bool reducedMotion = false;
};

/// Paints title, rank cards, links with tokens, legend and narration into `area`.
void paintDiagram(QPainter &painter, const QRectF &area, const DiagramFrame &frame);

/// The narration of a position: what happens and why, one or two sentences.
[[nodiscard]] QString narration(const Plan &plan, double position);

/// The tensor whose drawing contains `point`; empty when none.
[[nodiscard]] QString tensorAt(const QPointF &point, const QRectF &area, const DiagramFrame &frame);

} // namespace shardscope
