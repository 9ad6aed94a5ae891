// SPDX-License-Identifier: MIT
#include "engine/cli/points.h"

#include "engine/cli/arguments.h"
#include "engine/plan/option_uses.h"
#include "engine/plan/plan.h"

#include <algorithm>
#include <array>
#include <numeric>

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
                              (isMesh                ? "'tp=1;tp=2'"
                               : option == "schemes" ? "mlp,zero3"
                                                     : "1,2,4"));
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

/// The options of each scheme of a comparison, before its tokens are dealt out.
std::vector<OptionValues> pointsOf(const std::vector<std::string> &schemes, const OptionValues &given)
{
    std::vector<OptionValues> all;
    for (const std::string &scheme : schemes) {
        Experiment unused;
        if (const auto problem = findOption("scheme")->set(unused, scheme))
            throw badArgument("--schemes" + english(*problem).substr(std::string("--scheme").size()));
        OptionValues point = given;
        point["scheme"] = scheme;
        point["phase"] = std::string(name(Phase::Training));
        // What stands beside a block runs a block.
        if (std::ranges::find(schemes, name(Scheme::Block)) != schemes.end())
            point.try_emplace("layer", name(Layer::Block));
        all.push_back(std::move(point));
    }
    return all;
}

/// Replaces the batch of the whole step by that of one micro-batch of one replica. Attention needs whole sequences;
/// where no token sees another, tokens are dealt.
void dealTokens(OptionValues &point, const Experiment &whole)
{
    const std::int64_t parts = std::int64_t{whole.extent(MeshAxis::Dp)} * whole.microBatches;
    const bool wholeSequences = option_uses::attention(whole);
    const std::int64_t unit = wholeSequences ? parts : parts / std::gcd(parts, whole.sequence);
    if (whole.batch % unit != 0) {
        const std::int64_t below = whole.batch / unit * unit;
        throw badArgument("--batch " + std::to_string(whole.batch) + ": " + std::string(name(whole.scheme)) +
                          " deals " + (wholeSequences ? "whole sequences" : "b*s tokens") +
                          " to dp x m = " + std::to_string(whole.extent(MeshAxis::Dp)) + " x " +
                          std::to_string(whole.microBatches) + ", which cannot share them evenly; allowed: --batch " +
                          (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + unit));
    }
    const bool bySequences = whole.batch % parts == 0;
    const std::int64_t tokens = whole.batch * whole.sequence / parts;
    point["batch"] = std::to_string(bySequences ? whole.batch / parts : 1);
    point["sequence"] = std::to_string(bySequences ? whole.sequence : tokens);
}

/// "2 x block": what the scheme computes, whoever computes which part of it; the bug lab's what it should compute.
std::string computedBy(const Experiment &e)
{
    const auto repeated = e.repeatedLayer();
    const std::string layer(repeated ? name(*repeated) : name(buildPlan(e).rightScheme.value_or(e.scheme)));
    return (e.layers > 1 ? std::to_string(e.layers) + " x " : "") + layer + (e.bias ? "" : " without bias");
}

void refuseAnotherLayer(const std::vector<Experiment> &points)
{
    const std::string first = computedBy(points.front());
    for (const Experiment &point : points) {
        if (computedBy(point) != first)
            throw badArgument("--schemes: " + std::string(name(points.front().scheme)) + " runs " + first + ", " +
                              std::string(name(point.scheme)) + " runs " + computedBy(point) +
                              ", and a comparison is of one layer; allowed: mlp or block with data-parallel, zero1, "
                              "zero2, zero3, pipeline, or a bug beside its right scheme");
    }
}

} // namespace

Experiment readPoint(const OptionValues &given)
{
    return valueOrThrow(readExperiment(given, Unused::Refuse));
}

PhasePoints readPhases(const OptionValues &given)
{
    if (given.contains("phase"))
        throw badArgument("--phase: compare runs training, prefill and decode; use run for one phase");
    PhasePoints phases;
    OptionValues first;
    for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
        OptionValues point = given;
        point["phase"] = std::string(name(phase));
        const Expected<Experiment> read = readExperiment(point, Unused::Allow);
        if (!read && read.problem().id == TextId::BugNeedsTraining) {
            phases.leftOut.push_back(std::string(name(phase)) + " is left out: " + given.find("scheme")->second +
                                     " is in the backward pass");
            continue;
        }
        phases.points.push_back(valueOrThrow(read));
        if (phase == Phase::Training)
            first = point;
    }
    refuseUnused(given, phases.points, first);
    return phases;
}

std::vector<Experiment> readSchemes(const std::string &list, const OptionValues &given)
{
    if (given.contains("scheme"))
        throw badArgument("--scheme: --schemes names them all; allowed: one of the two");
    if (const auto phase = given.find("phase"); phase != given.end() && phase->second != name(Phase::Training))
        throw badArgument("--phase " + phase->second + ": --schemes compares training steps; allowed: training");
    std::vector<OptionValues> all = pointsOf(split("schemes", list), given);
    std::vector<Experiment> points;
    for (const OptionValues &point : all)
        points.push_back(valueOrThrow(readExperiment(point, Unused::Allow)));
    refuseUnused(given, points, all.front());
    const auto deepest = std::ranges::max_element(points, {}, &Experiment::layers);
    for (std::size_t i = 0; i < points.size(); ++i) {
        all[i].try_emplace("layers", std::to_string(deepest->layers));
        dealTokens(all[i], points[i]);
        points[i] = valueOrThrow(readExperiment(all[i], Unused::Allow));
    }
    refuseAnotherLayer(points);
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
