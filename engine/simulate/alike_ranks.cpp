// SPDX-License-Identifier: MIT
#include "engine/simulate/alike_ranks.h"

#include <algorithm>
#include <numeric>

namespace shardscope {
namespace {

/// Whether every place along the axis does the same, and who is late meets all others in the same way.
bool isEven(const Plan &plan, MeshAxis axis, CollectiveTimetable &timetable)
{
    return std::ranges::all_of(plan.steps, [&](const Step &step) {
        if (!step.collective || step.collective->axis != axis)
            return true;
        const Collective &collective = *step.collective;
        const bool someAreNeighbours = plan.experiment.delay && collective.replicas > 0;
        return !someAreNeighbours && timetable.timesOf(collective, plan.groupSize(collective)).even();
    });
}

/// For each coordinate along the axis the first one that does the same.
std::vector<int> alikeCoordinates(const Plan &plan, MeshAxis axis, CollectiveTimetable &timetable)
{
    std::vector<int> alike(static_cast<std::size_t>(plan.mesh().extent(axis)));
    std::iota(alike.begin(), alike.end(), 0);
    if (!isEven(plan, axis, timetable))
        return alike;
    const auto &delay = plan.experiment.delay;
    const int late = delay ? plan.mesh().coordinate(delay->rank, axis) : -1;
    const int punctual = late == 0 ? 1 : 0;
    std::ranges::replace_if(
        alike, [late](int coordinate) { return coordinate != late; }, punctual);
    return alike;
}

} // namespace

std::vector<int> alikeRanks(const Plan &plan, CollectiveTimetable &timetable)
{
    const Mesh &mesh = plan.mesh();
    const std::vector<int> alongTp = alikeCoordinates(plan, MeshAxis::Tp, timetable);
    const std::vector<int> alongDp = alikeCoordinates(plan, MeshAxis::Dp, timetable);
    std::vector<int> ranks;
    ranks.reserve(static_cast<std::size_t>(mesh.size()));
    // In the order of ranks (mesh.h).
    for (int stage = 0; stage < mesh.extent(MeshAxis::Pp); ++stage) {
        for (const int dp : alongDp) {
            for (const int tp : alongTp)
                ranks.push_back((stage * mesh.extent(MeshAxis::Dp) + dp) * mesh.extent(MeshAxis::Tp) + tp);
        }
    }
    return ranks;
}

} // namespace shardscope
