// SPDX-License-Identifier: MIT
#include "engine/plan/candidates.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"
#include "engine/plan/option_uses.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace shardscope {
namespace {

/// So many values are tried below and above.
constexpr int kTried = 512;

std::optional<MeshAxis> axisCalled(std::string_view option)
{
    const auto found = std::ranges::find_if(kMeshAxes, [&](MeshAxis axis) { return axisName(axis) == option; });
    return found == kMeshAxes.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::int64_t> divisorsOf(std::int64_t size)
{
    std::vector<std::int64_t> divisors;
    for (std::int64_t n = 1; n * n <= size; ++n) {
        if (size % n == 0) {
            divisors.push_back(n);
            if (n * n != size)
                divisors.push_back(size / n);
        }
    }
    std::ranges::sort(divisors);
    return divisors;
}

std::int64_t valueOf(const Experiment &e, std::string_view option)
{
    if (const auto axis = axisCalled(option))
        return e.extent(*axis);
    return std::stoll(findOption(option)->get(e));
}

/// The numbers worth trying, ascending.
std::vector<std::int64_t> numbersFor(const Experiment &e, std::string_view option)
{
    if (option == "heads")
        return divisorsOf(e.hidden);
    if (option == "kv-heads")
        return divisorsOf(e.heads);
    const std::int64_t unit = option == "hidden" && option_uses::attention(e) ? e.heads : 1;
    const std::int64_t most = axisCalled(option) ? kMostRanks : INT64_MAX;
    const std::int64_t middle = valueOf(e, option) / unit;
    std::set<std::int64_t> numbers;
    for (std::int64_t i = std::max<std::int64_t>(1, middle - kTried); i <= std::min(middle + kTried, most); ++i)
        numbers.insert(i * unit);
    // What many ranks can share may be further away.
    for (const std::int64_t ranks :
         {e.extent(MeshAxis::Tp), e.extent(MeshAxis::Dp), e.extent(MeshAxis::Pp), e.ranks()}) {
        const std::int64_t below = middle / ranks * ranks;
        for (const std::int64_t i : {below, below + ranks}) {
            if (i >= 1 && i <= most)
                numbers.insert(i * unit);
        }
    }
    // What is far too large: half of it, a quarter, and so on.
    for (std::int64_t i = middle; i >= 1; i /= 2)
        numbers.insert(i * unit);
    return {numbers.begin(), numbers.end()};
}

/// The option at that number, as it is typed.
Changes typed(const Experiment &e, std::string_view option, std::int64_t number, const OptionValues &given)
{
    const auto axis = axisCalled(option);
    if (!axis)
        return {{std::string(option), std::to_string(number)}};
    Mesh mesh = e.mesh;
    mesh.setExtent(*axis, static_cast<int>(number));
    return typedMesh(e, mesh, given);
}

/// The nearest below first, then the nearest above.
std::vector<Row> nearestNumbers(const Experiment &e, std::string_view option, const OptionValues &given)
{
    const std::int64_t now = valueOf(e, option);
    Row below;
    Row above;
    for (const std::int64_t number : numbersFor(e, option)) {
        if (number < now)
            below.insert(below.begin(), typed(e, option, number, given));
        else if (number > now)
            above.push_back(typed(e, option, number, given));
    }
    return {below, above};
}

std::vector<Row> otherWords(const Experiment &e, const ExperimentOption &option)
{
    std::vector<Row> rows;
    for (const std::string &value : option.values) {
        if (value != option.get(e))
            rows.push_back({{{std::string(option.name), value}}});
    }
    return rows;
}

/// A mesh of the scheme's own axis alone, with as many ranks or nearly as many.
Row meshesOfOwnAxis(const Experiment &e, const OptionValues &given)
{
    Row row;
    for (int off = 0; off < kTried; ++off) {
        for (const int ranks : std::set{e.ranks() - off, e.ranks() + off}) {
            if (ranks >= 1 && ranks <= kMostRanks)
                row.push_back(typedMesh(e, meshAlong(ownAxis(e.scheme), ranks), given));
        }
    }
    return row;
}

/// Half as long, a quarter, and so on.
Row shorterStages(const Experiment &e)
{
    Row row;
    for (StageDelay delay = *e.stageDelay; std::max(delay.forwardMs, delay.backwardMs) >= 1;) {
        delay = {std::floor(delay.forwardMs / 2), std::floor(delay.backwardMs / 2)};
        Experiment shorter = e;
        shorter.stageDelay = delay;
        row.push_back({{"stage-delay", findOption("stage-delay")->get(shorter)}});
    }
    return row;
}

/// The delay of the last rank there is.
Row lastRankDelayed(const Experiment &e)
{
    Experiment last = e;
    last.delay->rank = e.ranks() - 1;
    return {{{"delay", findOption("delay")->get(last)}}};
}

/// A whole number of seconds that is longer than what the stages wait.
Row longerTimeout(const Experiment &e)
{
    return {{{"timeout", std::to_string(std::llround(std::ceil(secondsOfStageDelays(e))) + 1)}}};
}

} // namespace

std::vector<Row> candidatesFor(const Experiment &e, const std::vector<std::string_view> &mendedBy,
                               const OptionValues &given)
{
    std::vector<Row> all;
    for (const std::string_view option : mendedBy) {
        const ExperimentOption *known = findOption(option);
        if (option == "mesh")
            all.push_back(meshesOfOwnAxis(e, given));
        else if (option == "stage-delay")
            all.push_back(shorterStages(e));
        else if (option == "delay")
            all.push_back(lastRankDelayed(e));
        else if (option == "timeout")
            all.push_back(longerTimeout(e));
        else if (known != nullptr && !known->values.empty())
            std::ranges::move(otherWords(e, *known), std::back_inserter(all));
        else
            std::ranges::move(nearestNumbers(e, option, given), std::back_inserter(all));
    }
    return all;
}

std::vector<Row> agreeingMeshes(const Experiment &e, int ranks)
{
    std::vector<Row> rows{{{{"ranks", std::to_string(e.ranks())}}}};
    for (const MeshAxis axis : kMeshAxes) {
        const int others = e.ranks() / e.extent(axis);
        if (ranks % others != 0)
            continue;
        Experiment changed = e;
        changed.mesh.setExtent(axis, ranks / others);
        rows.push_back({{{"mesh", findOption("mesh")->get(changed)}}});
    }
    return rows;
}

Changes typedMesh(const Experiment &e, const Mesh &mesh, const OptionValues &given)
{
    Experiment changed = e;
    changed.mesh = mesh;
    const bool ownAxisOnly = mesh == meshAlong(ownAxis(e.scheme), mesh.size());
    const std::string ranks = std::to_string(mesh.size());
    Changes changes;
    if (given.contains("mesh") || !ownAxisOnly)
        changes.push_back({"mesh", findOption("mesh")->get(changed)});
    const auto saidRanks = given.find("ranks");
    const bool wrong = saidRanks != given.end() && saidRanks->second != ranks;
    if (changes.empty() || wrong)
        changes.push_back({"ranks", ranks});
    return changes;
}

} // namespace shardscope
