// SPDX-License-Identifier: MIT
#include "engine/record/collective_groups.h"

#include <algorithm>

namespace shardscope {
namespace {

/// Everything is passed on whole: to rank 0 from behind, or from rank 0 on.
HopSchedule chain(CollectiveOp op, int ranks)
{
    HopSchedule schedule{op, Algorithm::Library, ranks, 1, {}};
    for (int place = 0; place + 1 < ranks; ++place) {
        const int last = ranks - 1 - place;
        const Transfer up{.from = last, .to = last - 1, .accumulate = true};
        const Transfer down{.from = place, .to = place + 1};
        schedule.hops.push_back({op == CollectiveOp::Reduce ? up : down});
    }
    return schedule;
}

} // namespace

std::vector<int> groupOf(const Plan &plan, const Step &step, int rank)
{
    const Collective &collective = *step.collective;
    if (!isMessage(step)) {
        return collective.replicas > 0 ? plan.mesh().group(rank, collective.axis, collective.replicas)
                                       : plan.mesh().group(rank, collective.axis);
    }
    const std::vector<int> stages = plan.mesh().group(rank, collective.axis);
    return {stages[static_cast<std::size_t>(step.stage)], stages[static_cast<std::size_t>(collective.toStage)]};
}

std::vector<std::vector<int>> groupsOf(const Plan &plan, const Step &step)
{
    std::vector<std::vector<int>> groups;
    for (int rank = 0; rank < plan.mesh().size(); ++rank) {
        if (!plan.runs(step, rank))
            continue;
        std::vector<int> group = groupOf(plan, step, rank);
        if (group.front() == rank)
            groups.push_back(std::move(group));
    }
    return groups;
}

bool communicates(const Plan &plan, const Step &step)
{
    return step.collective && plan.groupSize(*step.collective) > 1;
}

bool isMessage(const Step &step)
{
    return step.collective && step.collective->op == CollectiveOp::SendRecv;
}

bool receives(const Plan &plan, const Step &step, int rank)
{
    return isMessage(step) && plan.mesh().coordinate(rank, MeshAxis::Pp) == step.collective->toStage;
}

HopSchedule countedSchedule(const Collective &collective, int ranks)
{
    const CollectiveOp op = collective.op;
    if (op == CollectiveOp::SendRecv || op == CollectiveOp::Reduce || op == CollectiveOp::Broadcast)
        return chain(op, ranks);
    const bool library = collective.algorithm == Algorithm::Library;
    const Expected<HopSchedule> schedule = hopSchedule(op, library ? Algorithm::Ring : collective.algorithm, ranks);
    return schedule ? *schedule : HopSchedule{op, collective.algorithm, ranks, 1, {}};
}

} // namespace shardscope
