// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/layout_parts.h"
#include "ui/texts.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

/// The followed tensor at one step that makes or uses it.
struct Stop {
    int step = -1; ///< -1: there before the first step
    QString what;
    QString placement;
    bool changed = true; ///< placement differs from the stop before
};

bool isNamed(const Plan &plan, TensorId id, const QString &name)
{
    return QString::fromStdString(plan.tensor(id).name) == name;
}

TensorId versionAt(const Plan &plan, const Step &step, const QString &name)
{
    for (const auto *list : {&step.outputs, &step.inputs}) {
        for (const TensorId id : *list) {
            if (isNamed(plan, id, name))
                return id;
        }
    }
    return kNoTensor;
}

QString whatHappens(const Step &step)
{
    return step.collective ? opName(step.collective->op) : formulaText(step.label);
}

std::vector<Stop> stopsOf(const Plan &plan, const QString &name)
{
    std::vector<Stop> stops;
    const std::vector<TensorId> versions = plan.versions(name.toStdString());
    if (!versions.empty() && plan.tensor(versions.front()).madeAt < 0)
        stops.push_back({-1, Words::tr("at the start"), placementWord(plan, versions.front())});
    for (const Step &step : plan.steps) {
        const TensorId id = versionAt(plan, step, name);
        if (id == kNoTensor)
            continue;
        const QString placement = placementWord(plan, id);
        const bool changed = stops.empty() || stops.back().placement != placement || step.collective.has_value();
        stops.push_back({step.id, whatHappens(step), placement, changed});
    }
    return stops;
}

/// Chip texts, from full to short.
QString chipText(const Stop &stop, int brevity)
{
    const QString number = stop.step < 0 ? QString() : QString::number(stop.step + 1) + QStringLiteral("\u00a0\u00a0");
    if (brevity == 0)
        return number + (stop.step < 0 ? Words::tr("%1 %2") : Words::tr("%1 in %2")).arg(stop.placement, stop.what);
    if (brevity == 1)
        return number + stop.placement;
    return stop.changed ? number + stop.placement : number.trimmed();
}

double chipsWidth(const std::vector<Stop> &stops, int brevity, double pixels, double extra)
{
    double width = 0;
    for (const Stop &stop : stops)
        width += textSize(chipText(stop, brevity), pixels, 500).width() + extra;
    return width;
}

} // namespace

double layoutFollowStrip(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room)
{
    const Metrics &m = layout.metrics;
    const std::vector<Stop> stops = stopsOf(*frame.plan, frame.followed);
    if (stops.empty())
        return 0;
    const double height = std::round(m.label * 1.9);
    const QString lead = frame.followed + QLatin1Char(':');
    const double leadWidth = textSize(lead, m.label * 1.1, 700).width() + 8 * m.u;
    layout.texts.push_back({{room.x(), room.y(), leadWidth, height}, lead, m.label * 1.1, 700, frame.theme->accent});

    const double padding = 8 * m.u;
    const double gap = 6 * m.u;
    const double limit = room.width() - leadWidth;
    double pixels = std::round(m.small);
    int brevity = 0;
    while (chipsWidth(stops, brevity, pixels, 2 * padding + gap) > limit && (brevity < 2 || pixels > 7)) {
        if (brevity < 2)
            ++brevity;
        else
            pixels -= 1;
    }
    double x = room.x() + leadWidth;
    for (const Stop &stop : stops) {
        const QString text = chipText(stop, brevity);
        const double width = textSize(text, pixels, 500).width() + 2 * padding;
        if (x + width > room.right() + 1)
            break;
        const QRectF chip(x, room.y() + height * 0.08, width, height * 0.84);
        const bool now = stop.step == layout.scene.step;
        if (now)
            layout.chipNow = static_cast<int>(layout.chips.size());
        layout.chips.push_back(chip);
        layout.texts.push_back(
            {chip, text, pixels, 500, now ? frame.theme->onAccent : frame.theme->text, Qt::AlignCenter});
        x += width + gap;
    }
    return height + 6 * m.u;
}

} // namespace shardscope
