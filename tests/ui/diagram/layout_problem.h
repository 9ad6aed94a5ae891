// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"
#include "ui/diagram/layout.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

inline constexpr double kRounding = 1.0; // of a pixel

inline QString describe(const QRectF &r)
{
    return QStringLiteral("(%1, %2, %3 x %4)").arg(r.x()).arg(r.y()).arg(r.width()).arg(r.height());
}

inline bool overlap(const QRectF &a, const QRectF &b)
{
    const QRectF common = a.intersected(b);
    return common.width() > kRounding && common.height() > kRounding;
}

inline bool inside(const QRectF &inner, const QRectF &outer)
{
    return outer.adjusted(-kRounding, -kRounding, kRounding, kRounding).contains(inner);
}

/// What is wrong with the words of a layout, empty when nothing is.
inline QString textProblem(const DiagramLayout &layout)
{
    std::vector<QRectF> inks;
    for (const TextBox &text : layout.texts) {
        const QRectF ink = inkRect(text);
        if (!inside(ink, layout.area))
            return QStringLiteral("\"%1\" leaves the area: %2").arg(text.text, describe(ink));
        if (!inside(ink, text.box))
            return QStringLiteral("\"%1\" leaves its box: %2 of %3").arg(text.text, describe(ink), describe(text.box));
        if (text.text.endsWith(QChar(0x2026)))
            return QStringLiteral("\"%1\" is cut").arg(text.text);
        for (std::size_t i = 0; i < inks.size(); ++i) {
            if (overlap(ink, inks[i]))
                return QStringLiteral("\"%1\" lies on \"%2\"").arg(text.text, layout.texts[i].text);
        }
        inks.push_back(ink);
    }
    return {};
}

template <typename Box>
QString boxProblem(const std::vector<Box> &boxes, const QRectF &area, const char *what)
{
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!inside(boxes[i].box, area))
            return QStringLiteral("%1 %2 leaves the area").arg(what, describe(boxes[i].box));
        for (std::size_t j = 0; j < i; ++j) {
            if (overlap(boxes[i].box, boxes[j].box))
                return QStringLiteral("%1 %2 lies on %3").arg(what, describe(boxes[i].box), describe(boxes[j].box));
        }
    }
    return {};
}

/// Everything that belongs to a rank lies on its card.
inline QString cardProblem(const DiagramLayout &layout)
{
    const auto onOneCard = [&](const QRectF &box) {
        return std::any_of(layout.cards.begin(), layout.cards.end(),
                           [&](const CardBox &card) { return inside(box, card.box); });
    };
    for (const MatrixBox &matrix : layout.matrices) {
        if (!onOneCard(matrix.box))
            return QStringLiteral("matrix %1 leaves its card").arg(matrix.view.name);
    }
    for (const ChunkBox &chunk : layout.chunks) {
        if (!onOneCard(chunk.box))
            return QStringLiteral("chunk %1 of rank %2 leaves its card").arg(chunk.chunk).arg(chunk.rank);
    }
    return {};
}

inline QString layoutProblem(const DiagramLayout &layout)
{
    for (const QString &problem :
         {textProblem(layout), boxProblem(layout.cards, layout.area, "card"),
          boxProblem(layout.matrices, layout.area, "matrix"), boxProblem(layout.chunks, layout.area, "chunk"),
          boxProblem(layout.swatches, layout.area, "swatch"), cardProblem(layout)}) {
        if (!problem.isEmpty())
            return problem;
    }
    for (const LinkLane &lane : layout.links.lanes) {
        for (const QPointF &point : lane.points) {
            if (!layout.area.contains(point))
                return QStringLiteral("a link leaves the area");
        }
    }
    if (layout.cards.empty() && !layout.map)
        return QStringLiteral("nothing is drawn");
    return {};
}

/// Compute steps, and of a collective the first, a middle and the last hop.
inline std::vector<int> tellingScenes(const Plan &plan, const std::vector<Scene> &scenes)
{
    std::vector<int> telling;
    // Of a long plan the steps of one layer and micro-batch: the others are laid out alike.
    constexpr std::size_t kLongPlan = 60;
    const auto repeats = [&](const Step &step) {
        const bool inner = step.layer > 0 && step.layer + 1 < plan.experiment.layers;
        return plan.steps.size() > kLongPlan && (inner || step.microBatch > 0) && !step.collective;
    };
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        const Scene &scene = scenes[i];
        if (repeats(plan.steps[static_cast<std::size_t>(scene.step)]))
            continue;
        if (scene.hop <= 0 || scene.hop == scene.hops / 2 || scene.hop == scene.hops - 1)
            telling.push_back(static_cast<int>(i));
    }
    return telling;
}

inline QString problemAnywhere(const Plan &plan, const QSizeF &size, double unit, const QString &followed = {})
{
    DiagramFrame frame;
    frame.plan = &plan;
    frame.theme = &Theme::light();
    frame.unit = unit;
    frame.followed = followed;
    const std::vector<Scene> scenes = sceneList(plan);
    for (const int scene : tellingScenes(plan, scenes)) {
        // Arrival changes the counts of a hop; a compute step's layout does not depend on the time.
        for (const double fraction : {0.0, 0.9}) {
            if (fraction > 0 && scenes[static_cast<std::size_t>(scene)].hop < 0)
                continue;
            frame.position = scene + fraction;
            const QString problem = layoutProblem(layoutDiagram(frame, QRectF(QPointF(3, 5), size)));
            if (!problem.isEmpty())
                return QStringLiteral("N = %1, %2 x %3, unit %4, position %5: %6")
                    .arg(plan.mesh().size())
                    .arg(size.width())
                    .arg(size.height())
                    .arg(unit)
                    .arg(frame.position)
                    .arg(problem);
        }
    }
    return {};
}

inline const std::vector<std::pair<QSizeF, double>> &surfaces()
{
    static const std::vector<std::pair<QSizeF, double>> all{
        {{900, 420}, 1.0}, {{900, 420}, 2.5}, {{1280, 720}, 1.25}, {{1920, 1080}, 1.5}, {{3840, 2160}, 2.5}};
    return all;
}

} // namespace shardscope
