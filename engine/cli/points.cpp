// SPDX-License-Identifier: MIT
#include "engine/cli/points.h"

#include "engine/cli/arguments.h"

#include <algorithm>
#include <array>

namespace shardscope::cli {
namespace {

/// Fixed columns of `sweep` that are options, slowest first; further swept options vary faster than all of them.
constexpr std::array<std::string_view, 8> kHeaderOrder{"phase", "scheme",   "ranks", "hidden",
                                                       "batch", "sequence", "dtype", "backend"};
/// A grid beyond this is a typing error, not an exercise.
constexpr std::size_t kMostPoints = 10000;

Experiment valueOrThrow(const Expected<Experiment> &read)
{
    if (!read)
        throw badArgument(english(read.problem()));
    return *read;
}

/// An option that no point uses is as wrong as in a single experiment, and gets that experiment's words. `first` is
/// what the first point was read from.
void refuseUnused(const OptionValues &given, const std::vector<Experiment> &points, OptionValues first)
{
    const auto usedBy = [](const auto &entry, const Experiment &point) {
        return findOption(entry.first)->applies(point);
    };
    const auto unused = std::ranges::find_if(given, [&](const auto &entry) {
        return std::ranges::none_of(points, [&](const Experiment &point) { return usedBy(entry, point); });
    });
    if (unused == given.end())
        return;
    // What only other points use is no fault of the first, and must not be named in its place.
    std::erase_if(first,
                  [&](const auto &entry) { return entry.first != unused->first && !usedBy(entry, points.front()); });
    (void)valueOrThrow(readExperiment(first, Unused::Refuse));
}

/// A mesh holds commas itself (tp=2,dp=2), so its list is separated by semicolons.
std::vector<std::string> split(const std::string &option, const std::string &list)
{
    const bool isMesh = option == "mesh";
    std::vector<std::string> items;
    std::size_t begin = 0;
    while (begin <= list.size()) {
        const std::size_t end = std::min(list.find(isMesh ? ';' : ',', begin), list.size());
        items.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    for (const std::string &item : items) {
        if (item.empty())
            throw badArgument("--" + option + ' ' + list + ": an empty value; a list is written " +
                              (isMesh ? "'tp=1;tp=2'" : "1,2,4"));
        if (std::ranges::count(items, item) > 1)
            throw badArgument("--" + option + ' ' + list + ": " + item + " stands there twice; each value once");
    }
    return items;
}

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
        options.push_back(
            {found->first, takesLists ? split(found->first, found->second) : std::vector<std::string>{found->second}});
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
            throw badArgument("the grid has more than " + std::to_string(kMostPoints) + " points; sweep fewer values");
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

} // namespace

Experiment readPoint(const OptionValues &given)
{
    return valueOrThrow(readExperiment(given, Unused::Refuse));
}

std::vector<Experiment> readPhases(const OptionValues &given)
{
    if (given.contains("phase"))
        throw badArgument("--phase: compare runs training, prefill and decode; use run for one phase");
    std::vector<Experiment> points;
    OptionValues first;
    for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
        OptionValues point = given;
        point["phase"] = std::string(name(phase));
        points.push_back(valueOrThrow(readExperiment(point, Unused::Allow)));
        if (phase == Phase::Training)
            first = point;
    }
    refuseUnused(given, points, first);
    return points;
}

Grid readGrid(const OptionValues &given)
{
    const std::vector<SweptOption> options = inOrder(given);
    const std::vector<OptionValues> all = combinations(options);
    Grid grid;
    for (const OptionValues &point : all)
        grid.points.push_back(valueOrThrow(readExperiment(point, Unused::Allow)));
    refuseUnused(given, grid.points, all.front());
    for (const SweptOption &option : options) {
        const bool fixed = std::ranges::find(kHeaderOrder, option.name) != kHeaderOrder.end();
        if (option.values.size() > 1 && !fixed)
            grid.extraColumns.push_back(option.name);
    }
    return grid;
}

} // namespace shardscope::cli
