// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/gantt_bars.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

bool sharesPixel(const VisibleBar &a, double left)
{
    return a.right - a.left <= 1 && std::floor(a.left) == std::floor(left);
}

/// Distance from a time to a bar; 0 inside.
double distanceTo(const TimelineBar &bar, double timeNs)
{
    return std::max({static_cast<double>(bar.begin) - timeNs, timeNs - static_cast<double>(bar.end), 0.0});
}

} // namespace

std::size_t firstReaching(const TimelineLane &lane, double timeNs)
{
    const auto found = std::partition_point(lane.latestEnd.begin(), lane.latestEnd.end(),
                                            [&](std::int64_t end) { return static_cast<double>(end) < timeNs; });
    return static_cast<std::size_t>(found - lane.latestEnd.begin());
}

std::vector<VisibleBar> visibleBars(const TimelineLane &lane, const TimeRange &view, double pixels, bool merge)
{
    std::vector<VisibleBar> visible;
    if (!(view.size() > 0) || !(pixels > 0))
        return visible;
    const double scale = pixels / view.size();
    // Far outside the view a rectangle only costs precision: it ends two pixels beyond the edge.
    const auto toPixel = [&](std::int64_t time) {
        return std::clamp((static_cast<double>(time) - view.begin) * scale, -2.0, pixels + 2);
    };
    for (std::size_t i = firstReaching(lane, view.begin); i < lane.bars.size(); ++i) {
        const TimelineBar &bar = lane.bars[i];
        if (static_cast<double>(bar.begin) > view.end)
            break;
        if (static_cast<double>(bar.end) < view.begin)
            continue;
        const double left = toPixel(bar.begin);
        const double right = std::max(toPixel(bar.end), left + 1);
        if (merge && right - left <= 1 && !visible.empty() && sharesPixel(visible.back(), left)) {
            if (visible.back().bar->duration() < bar.duration())
                visible.back().bar = &bar;
            continue;
        }
        visible.push_back({&bar, left, right, toPixel(bar.begin + bar.waitNs)});
    }
    return visible;
}

const TimelineBar *barAt(const TimelineLane &lane, double timeNs, double toleranceNs)
{
    const TimelineBar *nearest = nullptr;
    double best = toleranceNs;
    for (std::size_t i = firstReaching(lane, timeNs - toleranceNs); i < lane.bars.size(); ++i) {
        const TimelineBar &bar = lane.bars[i];
        if (static_cast<double>(bar.begin) > timeNs + toleranceNs)
            break;
        const double distance = distanceTo(bar, timeNs);
        if (distance < best || (distance == best && !nearest)) {
            nearest = &bar;
            best = distance;
        }
    }
    return nearest;
}

QVector<QLineF> hatchLines(const QRectF &rect, double spacing)
{
    QVector<QLineF> lines;
    if (rect.isEmpty() || !(spacing > 0))
        return lines;
    // Lines x + y = c; multiples of the spacing, so that the hatch does not depend on where the rectangle begins.
    const double last = rect.right() + rect.bottom();
    for (double c = std::ceil((rect.left() + rect.top()) / spacing) * spacing; c < last; c += spacing) {
        const double x1 = std::max(rect.left(), c - rect.bottom());
        const double x2 = std::min(rect.right(), c - rect.top());
        if (x2 > x1)
            lines.append(QLineF(x1, c - x1, x2, c - x2));
    }
    return lines;
}

} // namespace shardscope
