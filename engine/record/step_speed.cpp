// SPDX-License-Identifier: MIT
#include "engine/record/step_speed.h"

#include "engine/record/finding_rules.h"

#include <algorithm>
#include <limits>

namespace shardscope {

bool differLessThanTheyVary(const Distribution &a, const Distribution &b)
{
    return a.samples > 1 && b.samples > 1 && a.p10 <= b.p90 && b.p10 <= a.p90;
}

double mostPlausibleSpeedup(const Run &one, const Run &many)
{
    if (one.isPrediction() || many.isPrediction())
        return std::numeric_limits<double>::infinity();
    const int ranks = many.experiment().ranks();
    // By default the ranks share out the cores of one as threads: one rank's threads are then all the cores there are.
    const int cores = one.experiment().threads;
    const int threads = many.experiment().threads;
    const bool shared = one.machine.backend == "gloo" && threads > 0 && cores > threads;
    return shared ? std::min(ranks, cores) : ranks;
}

Pace paceOf(const Distribution &one, const Distribution &many, double most)
{
    if (differLessThanTheyVary(one, many))
        return Pace::Unclear;
    if (one.median < kFaster * many.median)
        return Pace::NotFaster;
    return one.median > kFaster * most * many.median ? Pace::Disturbed : Pace::Faster;
}

std::vector<std::size_t> fastestOf(const std::vector<Distribution> &steps)
{
    const auto known = [](const Distribution &step) { return step.median > 0; };
    const Distribution *least = nullptr;
    for (const Distribution &step : steps) {
        if (known(step) && (least == nullptr || step.median < least->median))
            least = &step;
    }
    std::vector<std::size_t> fastest;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Distribution &step = steps[i];
        if (known(step) && (step.median == least->median || differLessThanTheyVary(step, *least)))
            fastest.push_back(i);
    }
    return fastest;
}

} // namespace shardscope
