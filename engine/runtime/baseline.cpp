// SPDX-License-Identifier: MIT
#include "engine/runtime/baseline.h"

#include "engine/record/collective_groups.h"

#include <algorithm>

namespace shardscope {

BaselineEvent baselineOf(const Plan &plan, const Step &step, const std::vector<std::int64_t> &durations)
{
    const std::size_t repetitions = durations.size() / std::size_t(plan.mesh().size());
    BaselineEvent event{.step = step.id,
                        .transferNs = std::vector<std::int64_t>(repetitions),
                        .waitNs = std::vector<std::int64_t>(repetitions)};
    for (int rank = 0; rank < plan.mesh().size(); ++rank) {
        if (!plan.runs(step, rank))
            continue;
        const std::vector<int> group = groupOf(plan, step, rank);
        for (std::size_t i = 0; i < repetitions; ++i) {
            const auto of = [&](int each) { return durations[std::size_t(each) * repetitions + i]; };
            std::int64_t least = of(rank);
            for (const int each : group)
                least = std::min(least, of(each));
            event.transferNs[i] = std::max(event.transferNs[i], least);
            event.waitNs[i] = std::max(event.waitNs[i], of(rank) - least);
        }
    }
    return event;
}

} // namespace shardscope
