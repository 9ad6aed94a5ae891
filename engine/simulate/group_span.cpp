// SPDX-License-Identifier: MIT
#include "engine/simulate/group_span.h"

#include "engine/record/collective_groups.h"

#include <algorithm>

namespace shardscope {

int nodesOf(const Hardware &hardware, int ranks)
{
    return hardware.sharedCores > 0 ? 1 : (ranks + hardware.devices - 1) / hardware.devices;
}

GroupSpan spanOf(const std::vector<int> &group, const Hardware &hardware)
{
    const auto size = static_cast<int>(group.size());
    if (hardware.sharedCores > 0)
        return size;
    GroupSpan span(size, 0, size);
    for (std::size_t begin = 0; begin < group.size();) {
        const int node = group[begin] / hardware.devices;
        std::size_t end = begin;
        while (end < group.size() && group[end] / hardware.devices == node)
            ++end;
        ++span.nodes;
        span.together = std::min(span.together, static_cast<int>(end - begin));
        begin = end;
    }
    return span;
}

GroupSpan widestSpan(const Plan &plan, const Step &step, const Hardware &hardware)
{
    const int size = plan.groupSize(*step.collective);
    if (nodesOf(hardware, plan.mesh().size()) == 1)
        return size;
    GroupSpan widest(size);
    for (const std::vector<int> &group : groupsOf(plan, step)) {
        const GroupSpan span = spanOf(group, hardware);
        if (span.nodes > widest.nodes || (span.nodes == widest.nodes && span.together < widest.together))
            widest = span;
    }
    return widest;
}

} // namespace shardscope
