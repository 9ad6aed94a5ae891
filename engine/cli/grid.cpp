// SPDX-License-Identifier: MIT
#include "engine/cli/advised_reading.h"
#include "engine/cli/option_lists.h"
#include "engine/cli/points.h"

#include <algorithm>
#include <array>

namespace shardscope::cli {
namespace {

/// Fixed columns of `sweep` that are options, slowest first; further swept options vary faster than all of them.
constexpr std::array<std::string_view, 8> kHeaderOrder{"phase", "scheme",   "ranks", "hidden",
                                                       "batch", "sequence", "dtype", "backend"};
/// A grid beyond this is a typing error, not an exercise.
constexpr std::size_t kMostPoints = 10000;

struct SweptOption {
    std::string name;
    std::vector<std::string> values;
};

std::vector<SweptOption> inOrder(const OptionValues &given)
{
    std::vector<SweptOption> options;
    const auto add = [&](std::string_view name) {
        const auto found = given.find(name);
        if (found == given.end())
            return;
        const bool takesLists = name != "delay";
        options.push_back({found->first, takesLists ? splitList(found->first, found->second)
                                                    : std::vector<std::string>{found->second}});
    };
    std::ranges::for_each(kHeaderOrder, add);
    for (const ExperimentOption &option : experimentOptions()) {
        if (std::ranges::find(kHeaderOrder, option.name) == kHeaderOrder.end())
            add(option.name);
    }
    return options;
}

/// Counts like an odometer: the last option varies fastest.
std::vector<OptionValues> combinations(const std::vector<SweptOption> &options)
{
    std::vector<OptionValues> all{{}};
    for (const SweptOption &option : options) {
        if (all.size() * option.values.size() > kMostPoints)
            throw badArgument("the grid has more than " + counted(kMostPoints, "point|points") +
                              "; sweep fewer values");
        std::vector<OptionValues> longer;
        for (const OptionValues &before : all) {
            for (const std::string &value : option.values) {
                longer.push_back(before);
                longer.back()[option.name] = value;
            }
        }
        all = std::move(longer);
    }
    return all;
}

/// In a list the value of the refused point gives way to the one that is tried.
Changes inLists(Changes changes, const OptionValues &point, const OptionValues &given)
{
    for (Change &change : changes) {
        const auto list = given.find(change.option);
        if (!change.value || list == given.end() || list->second == point.find(change.option)->second)
            continue;
        std::vector<std::string> values = splitList(list->first, list->second);
        const bool there = std::ranges::find(values, *change.value) != values.end();
        const std::string &refused = point.find(change.option)->second;
        if (there)
            std::erase(values, refused);
        else
            std::ranges::replace(values, refused, *change.value);
        change.value = joinList(list->first, values);
    }
    return changes;
}

/// As the point was read, but what may be typed instead is said of the whole grid.
Experiment readPointOf(const OptionValues &given, const OptionValues &point)
{
    try {
        return readOrRefuse(point, Unused::Allow);
    } catch (Refused &refused) {
        if (refused.refusal.rows) {
            refused.refusal.rows = [rows = refused.refusal.rows, given, point] {
                std::vector<Row> all = rows();
                for (Row &row : all) {
                    for (Changes &changes : row)
                        changes = inLists(std::move(changes), point, given);
                }
                return all;
            };
        }
        throw;
    }
}

Grid wholeGrid(const OptionValues &given)
{
    const std::vector<SweptOption> options = inOrder(given);
    const std::vector<OptionValues> all = combinations(options);
    Grid grid;
    for (const OptionValues &point : all)
        grid.points.push_back(readPointOf(given, point));
    refuseUnused(given, grid.points, all.front());
    for (const SweptOption &option : options) {
        const bool fixed = std::ranges::find(kHeaderOrder, option.name) != kHeaderOrder.end();
        if (option.values.size() > 1 && !fixed)
            grid.extraColumns.push_back(option.name);
    }
    return grid;
}

} // namespace

Grid readGrid(const OptionValues &given, Purpose purpose)
{
    return readAdvised(
        given, wholeGrid, [purpose](const Grid &grid) { return isPossible(purpose, grid.points); },
        combinations(inOrder(given)).size());
}

} // namespace shardscope::cli
