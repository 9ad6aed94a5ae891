// SPDX-License-Identifier: MIT
#include "engine/cli/sweep_findings.h"

#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/comparison.h"
#include "engine/record/crossover.h"
#include "engine/record/summation.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace shardscope::cli {
namespace {

using Runs = std::vector<const Run *>;

/// What a crossing is looked for along, in this order.
constexpr std::array<std::string_view, 3> kSizes{"batch", "sequence", "hidden"};

/// The first of them that the sweep varies; batch where none does, and each group then has one size.
std::string_view variedSize(const std::vector<Run> &runs)
{
    for (const std::string_view option : kSizes) {
        const auto value = [&](const Run &run) { return findOption(option)->get(run.experiment()); };
        if (std::ranges::any_of(runs, [&](const Run &run) { return value(run) != value(runs.front()); }))
            return option;
    }
    return kSizes.front();
}

/// Runs of the same layer, but for ranks and that size.
std::vector<Runs> groupsAlong(std::string_view option, const std::vector<Run> &runs)
{
    std::vector<Runs> groups;
    for (const Run &run : runs) {
        const auto same = std::ranges::find_if(groups, [&](const Runs &group) {
            return sameLayerBut(option, group.front()->experiment(), run.experiment());
        });
        if (same == groups.end())
            groups.push_back({&run});
        else
            same->push_back(&run);
    }
    return groups;
}

const Run &withMostRanks(const Runs &runs)
{
    return **std::ranges::max_element(runs, {}, [](const Run *run) { return run->experiment().ranks(); });
}

/// "mlp, decode, h 1024: "; the width is left out where it varies.
std::string titleOf(const Experiment &e, std::string_view varied)
{
    const std::string width = varied == "hidden" ? "" : ", h " + std::to_string(e.hidden);
    return std::string(name(e.scheme)) + ", " + std::string(name(e.phase)) + width + ": ";
}

std::string crossoverLines(const Runs &group, std::string_view option, const Console &console)
{
    const int most = withMostRanks(group).experiment().ranks();
    const std::optional<Crossover> crossover = crossoverOf(group, option, most);
    if (!crossover)
        return "";
    std::string text = english(crossover->finding) + '.';
    if (crossover->cause)
        text +=
            " At " + std::string(option) + ' ' + std::to_string(crossover->causeAt) + ": " + english(*crossover->cause);
    return console.wrapped(titleOf(group.front()->experiment(), option) + text, 2) + '\n';
}

std::string speedupLine(const Runs &group, const Console &console)
{
    const auto one = std::ranges::find_if(group, [](const Run *run) { return run->experiment().ranks() == 1; });
    if (one == group.end())
        return "";
    const std::optional<Text> finding = speedupFinding(**one, withMostRanks(group));
    return finding ? console.wrapped(titleOf((*one)->experiment(), "") + english(*finding), 2) + '\n' : "";
}

} // namespace

std::string speedFindings(const std::vector<Run> &runs, const Console &console)
{
    if (runs.empty())
        return "";
    const std::string_view option = variedSize(runs);
    std::string text;
    for (const Runs &group : groupsAlong(option, runs)) {
        const std::string crossover = crossoverLines(group, option, console);
        text += crossover.empty() ? speedupLine(group, console) : crossover;
    }
    return text.empty() ? text : '\n' + text;
}

std::string outputsByRanks(const std::vector<Run> &runs, const Console &console)
{
    TextTable table({{.title = "scheme"},
                     {.title = "phase"},
                     {.title = "dtype"},
                     {.title = "ranks", .right = true},
                     {.title = "error", .right = true},
                     {.title = "one device", .right = true},
                     {.title = "in N pieces", .right = true},
                     {.title = "ranks - one", .right = true},
                     {.title = "ranks - pieces", .right = true}});
    std::set<std::tuple<Scheme, Phase, DType, int>> seen;
    std::set<int> ranks;
    bool shared = false;
    for (const Run &run : runs) {
        const Experiment &e = run.experiment();
        const CheckEvent *check = outputCheck(run);
        if (check == nullptr || !seen.insert({e.scheme, e.phase, e.dtype, e.ranks()}).second)
            continue;
        const auto text = [](double value) { return value == kUnknownError ? "-" : scientificText(value); };
        table.add({std::string(name(e.scheme)), std::string(name(e.phase)), std::string(name(e.dtype)),
                   std::to_string(e.ranks()), text(check->relativeError), text(check->wholeError),
                   text(check->piecesError), text(check->fromWhole), text(check->fromPieces)});
        ranks.insert(e.ranks());
        shared = shared || check->wholeError != kUnknownError;
    }
    if (ranks.size() < 2 || !shared)
        return "";
    return '\n' + console.bold("Outputs change with N: errors relative to Y in float64") + '\n' + table.text(console) +
           "  " +
           console.dim(console.wrapped(
               "one device: the same sums in one piece; in N pieces: added as N ranks would, rank after rank. What is "
               "left between ranks and pieces comes from the collective, which may add in another order",
               2)) +
           '\n';
}

} // namespace shardscope::cli
