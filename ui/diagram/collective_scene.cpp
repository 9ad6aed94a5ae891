// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/collective_scene.h"

#include "engine/plan/option_limits.h"
#include "engine/record/collective_groups.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shardscope {
namespace {

// Shares of a scene: the animation takes 1.2 of 1.5 seconds, and its phases are .2, .6, .2 of that.
constexpr double kAnimation = 0.8;
constexpr double kLeave = 0.2;
constexpr double kEnter = 0.8;
constexpr double kFlash = 0.12;

double phase(double x, double begin, double end)
{
    return eased(std::clamp((x - begin) / (end - begin), 0.0, 1.0));
}

} // namespace

bool CollectiveScene::isComplete(std::uint64_t held, int chunk) const
{
    if (handsOn())
        return held != 0;
    if (gathers())
        return (held >> chunk & 1U) != 0;
    return count(held) == schedule.ranks;
}

int CollectiveScene::count(std::uint64_t held)
{
    return std::popcount(held);
}

CollectiveScene::Member CollectiveScene::memberOf(int rank) const
{
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto found = std::ranges::find(groups[g], rank);
        if (found != groups[g].end())
            return {static_cast<int>(g), static_cast<int>(found - groups[g].begin())};
    }
    return {};
}

std::optional<CollectiveScene> collectiveScene(const Plan &plan, const Scene &scene)
{
    const Step &step = plan.steps[static_cast<std::size_t>(scene.step)];
    if (!step.collective || scene.hop < 0 || plan.groupSize(*step.collective) > kMostHopRanks)
        return std::nullopt;
    DrawnSchedule drawn = drawnSchedule(*step.collective, plan.groupSize(*step.collective));
    CollectiveScene result;
    result.groups = groupsOf(plan, step);
    result.op = step.collective->op;
    result.reduce = step.collective->reduce;
    result.schematic = drawn.schematic;
    result.schedule = std::move(drawn.schedule);
    result.hop = scene.hop;
    result.before = contributionsAfter(result.schedule, scene.hop);
    result.after = contributionsAfter(result.schedule, scene.hop + 1);
    return result;
}

Motion motionAt(double fraction, bool reducedMotion)
{
    Motion motion;
    const double x = reducedMotion ? (fraction > 0 ? 1 : 0) : std::clamp(fraction / kAnimation, 0.0, 1.0);
    motion.leave = phase(x, 0, kLeave);
    motion.travel = phase(x, kLeave, kEnter);
    motion.enter = phase(x, kEnter, 1);
    motion.arrived = x >= 1;
    if (motion.arrived && !reducedMotion)
        motion.flash = std::clamp(1 - (fraction - kAnimation) / kFlash, 0.0, 1.0);
    if (x > 0 && x < 1)
        motion.sweep = eased(x);
    return motion;
}

double eased(double x)
{
    return x < 0.5 ? 4 * x * x * x : 1 - std::pow(2 - 2 * x, 3) / 2;
}

} // namespace shardscope
