// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/time_axis.h"

#include "ui/nice_step.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr double kMargin = 0.015;
constexpr double kEmptyStepNs = 1000; ///< a run without spans still needs an axis

struct Unit {
    double nanoseconds;
    const char16_t *name;
};
constexpr Unit kUnits[] = {{1e9, u"s"}, {1e6, u"ms"}, {1e3, u"µs"}, {1, u"ns"}};

const Unit &unitFor(double largest)
{
    for (const Unit &unit : kUnits) {
        if (largest >= unit.nanoseconds)
            return unit;
    }
    return kUnits[3];
}

QString label(double value, double step, const Unit &unit)
{
    const double decimals = std::ceil(std::log10(unit.nanoseconds / step) - 1e-9);
    const double number = value / unit.nanoseconds;
    return QString::number(number == 0 ? 0.0 : number, 'f', std::max(0, static_cast<int>(decimals)));
}

} // namespace

TimeTicks timeTicks(const TimeRange &range, int maximum)
{
    TimeTicks ticks;
    const Unit &unit = unitFor(std::max(std::abs(range.begin), std::abs(range.end)));
    ticks.unit = QString::fromUtf16(unit.name);
    if (!(range.size() > 0) || maximum < 1)
        return ticks;
    ticks.step = niceStep(std::max(1.0, range.size() / maximum));
    const double first = std::ceil(range.begin / ticks.step - 1e-9);
    const double last = std::floor(range.end / ticks.step + 1e-9);
    for (double k = first; k <= last; ++k) {
        ticks.at.push_back(k * ticks.step);
        ticks.labels.push_back(label(k * ticks.step, ticks.step, unit));
    }
    return ticks;
}

TimeRange wholeView(double durationNs)
{
    const double duration = durationNs > kShortestView ? durationNs : kEmptyStepNs;
    return {-kMargin * duration, (1 + kMargin) * duration};
}

TimeRange selectionView(const TimeRange &selection, double durationNs)
{
    const double room = std::max(selection.size(), kShortestView) * 0.25;
    return clampedView({selection.begin - room, selection.end + room}, durationNs);
}

TimeRange clampedView(const TimeRange &range, double durationNs)
{
    const TimeRange whole = wholeView(durationNs);
    if (!std::isfinite(range.begin) || !std::isfinite(range.end))
        return whole;
    if (range.size() >= whole.size())
        return whole;
    const double size = std::max(range.size(), kShortestView);
    const double centre = (range.begin + range.end) / 2;
    const double begin = std::clamp(centre - size / 2, whole.begin, whole.end - size);
    return {begin, begin + size};
}

TimeRange zoomedView(const TimeRange &range, double factor, double anchor, double durationNs)
{
    const double size = std::clamp(range.size() * factor, kShortestView, wholeView(durationNs).size());
    const double place = range.size() > 0 ? (anchor - range.begin) / range.size() : 0.5;
    const double begin = anchor - place * size;
    return clampedView({begin, begin + size}, durationNs);
}

TimeRange pannedView(const TimeRange &range, double delta, double durationNs)
{
    return clampedView({range.begin + delta, range.end + delta}, durationNs);
}

} // namespace shardscope
