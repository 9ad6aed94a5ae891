// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/comparison_data.h"
#include "ui/nice_step.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr int kTicks = 4;

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

/// A round number of the metric's unit; bytes are counted in powers of two.
double tickStep(Metric metric, double least)
{
    if (metric == Metric::SentBytes)
        return std::exp2(std::ceil(std::log2(least) - 1e-9));
    const double step = niceStep(least);
    return metric == Metric::Collectives && least * kTicks >= 1 ? std::max(1.0, step) : step;
}

/// From 0: of a bar its length is read, and twice as much must be twice as long.
void scaleTo(ChartGroup &group, double largest)
{
    group.to = largest > 0 ? largest : 1;
    if (!(largest > 0))
        return;
    const double step = tickStep(group.metric, group.to / kTicks);
    for (double k = 0; k * step <= group.to * (1 + 1e-9); ++k)
        group.ticks.push_back({k * step, k > 0 ? valueText(group.metric, k * step) : QStringLiteral("0")});
}

} // namespace

double ChartGroup::place(double value) const
{
    return to > 0 ? std::clamp(value / to, 0.0, 1.0) : 0;
}

void scaleAxis(ChartGroup &group)
{
    group.ticks.clear();
    if (group.metric == Metric::CommunicationShare) {
        // The whole is known: a bar's length is its share of it.
        scaleTo(group, 1);
        return;
    }
    std::vector<double> values = valuesOf(group);
    std::erase_if(values, [](double value) { return !(value > 0) || !std::isfinite(value); });
    scaleTo(group, values.empty() ? 0 : *std::ranges::max_element(values));
}

} // namespace shardscope
