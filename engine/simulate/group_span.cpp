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

namespace {

/// The first ranks of the groups that run the step; of a message the senders.
std::vector<int> heads(const Plan &plan, const Step &step)
{
    const Mesh &mesh = plan.mesh();
    const Collective &c = *step.collective;
    const int perStage = mesh.size() / mesh.extent(MeshAxis::Pp);
    const bool everyStage = step.stage == kEveryStage;
    const int begin = everyStage ? 0 : step.stage * perStage;
    const int end = everyStage ? mesh.size() : begin + perStage;
    std::vector<int> first;
    for (int rank = begin; rank < end; ++rank) {
        const int place = mesh.coordinate(rank, c.axis);
        if (isMessage(step) || place % (c.replicas > 0 ? c.replicas : mesh.extent(c.axis)) == 0)
            first.push_back(rank);
    }
    return first;
}

/// Sender and receiver may stand in either order.
std::vector<int> ascending(std::vector<int> group)
{
    std::ranges::sort(group);
    return group;
}

} // namespace

GroupSpan widestSpan(const Plan &plan, const Step &step, const Hardware &hardware)
{
    const int size = plan.groupSize(*step.collective);
    if (nodesOf(hardware, plan.mesh().size()) == 1)
        return size;
    GroupSpan widest(size);
    for (const int head : heads(plan, step)) {
        const GroupSpan span = spanOf(ascending(groupOf(plan, step, head)), hardware);
        if (span.nodes > widest.nodes || (span.nodes == widest.nodes && span.together < widest.together))
            widest = span;
    }
    return widest;
}

} // namespace shardscope
