// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/comparison_data.h"
#include "ui/nice_step.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

/// Part of a logarithmic axis left of the smallest bar: it must be seen that there is a bar.
constexpr double kRoomBelow = 0.18;
constexpr int kLinearTicks = 4;

std::vector<double> valuesOf(const ChartGroup &group)
{
    std::vector<double> values;
    for (const ChartRow &row : group.rows) {
        for (const auto &value : {row.predicted, row.measured}) {
            if (value)
                values.insert(values.end(), {value->value, value->p90.value_or(value->value)});
        }
    }
    return values;
}

void scaleLinear(ChartGroup &group, double largest)
{
    group.from = 0;
    group.to = largest > 0 ? largest : 1;
    if (!(largest > 0))
        return;
    double step = niceStep(group.to / kLinearTicks);
    if (group.metric == Metric::Collectives && group.to >= 1)
        step = std::max(1.0, step);
    for (double k = 0; k * step <= group.to * (1 + 1e-9); ++k)
        group.ticks.push_back({k * step, k > 0 ? valueText(group.metric, k * step) : QStringLiteral("0")});
}

void scaleLogarithmic(ChartGroup &group, double smallest, double largest)
{
    const double span = std::max(1.0, std::log2(largest / smallest));
    group.from = smallest / std::exp2(std::max(2.0, span * kRoomBelow / (1 - kRoomBelow)));
    group.to = largest;
    const double octaves = std::log2(group.to / group.from);
    const int every = octaves > 18 ? 10 : octaves > 7 ? 5 : octaves > 3.5 ? 2 : 1;
    const double first = std::ceil(std::log2(group.from) / every - 1e-9) * every;
    for (double power = first; power <= std::log2(group.to) + 1e-9; power += every)
        group.ticks.push_back({std::exp2(power), valueText(group.metric, std::exp2(power))});
}

} // namespace

double ChartGroup::place(double value) const
{
    if (!logarithmic)
        return to > from ? std::clamp((value - from) / (to - from), 0.0, 1.0) : 0;
    return value > from ? std::clamp(std::log(value / from) / std::log(to / from), 0.0, 1.0) : 0;
}

void scaleAxis(ChartGroup &group)
{
    if (group.metric == Metric::CommunicationShare) {
        // The whole is known: a bar's length is its share of it.
        group.ticks.clear();
        scaleLinear(group, 1);
        return;
    }
    std::vector<double> values = valuesOf(group);
    std::erase_if(values, [](double value) { return !(value > 0) || !std::isfinite(value); });
    group.ticks.clear();
    if (values.empty()) {
        group.logarithmic = false;
        scaleLinear(group, 0);
        return;
    }
    const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
    if (group.logarithmic)
        scaleLogarithmic(group, *smallest, *largest);
    else
        scaleLinear(group, *largest);
}

} // namespace shardscope
