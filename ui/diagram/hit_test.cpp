// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/scene_layers.h"

#include <algorithm>

namespace shardscope {

QString tensorAt(const QPointF &point, const QRectF &area, const DiagramFrame &frame)
{
    return sceneList(*frame.plan).empty() ? QString() : tensorIn(layoutDiagram(frame, area), frame, point);
}

QString tensorIn(const DiagramLayout &layout, const DiagramFrame &frame, const QPointF &point)
{
    const auto nameOf = [&](TensorId id) { return QString::fromStdString(frame.plan->tensor(id).name); };
    const double near = 4 * layout.metrics.u;
    for (const MatrixBox &matrix : layout.matrices) {
        if (matrix.box.adjusted(-near, -near, near, near).contains(point))
            return nameOf(matrix.view.tensor);
    }
    const bool onChunk = std::any_of(layout.chunks.begin(), layout.chunks.end(),
                                     [&](const ChunkBox &chunk) { return chunk.box.contains(point); });
    if (!onChunk && (!layout.map || !layout.map->grid.contains(point)))
        return {};
    return nameOf(frame.plan->steps[static_cast<std::size_t>(layout.scene.step)].inputs.front());
}

bool asksWhy(const DiagramLayout &layout, const DiagramFrame &frame, const QPointF &point)
{
    if (!tensorIn(layout, frame, point).isEmpty())
        return false;
    if (frame.plan->steps[static_cast<std::size_t>(layout.scene.step)].collective)
        return true;
    const bool onCard = std::any_of(layout.cards.begin(), layout.cards.end(),
                                    [&](const CardBox &card) { return card.box.contains(point); });
    return !onCard && std::any_of(layout.texts.begin(), layout.texts.end(),
                                  [&](const TextBox &text) { return inkRect(text).contains(point); });
}

} // namespace shardscope
