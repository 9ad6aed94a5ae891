// SPDX-License-Identifier: MIT
#include "engine/record/crossover.h"

#include "engine/plan/option_reading.h"
#include "engine/record/comparison.h"
#include "engine/record/finding_rules.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace shardscope {
namespace {

/// What follows from an option where nobody says otherwise.
std::vector<std::string_view> dependents(std::string_view option)
{
    if (option == "hidden")
        return {"ffn", "heads", "kv-heads"};
    if (option == "sequence")
        return {"cache"};
    return {};
}

std::int64_t sizeOf(const Run &run, std::string_view option)
{
    const auto size = readInteger(option, findOption(option)->get(run.experiment()), 0, INT64_MAX);
    return size ? *size : 0;
}

/// What to compare: the median step, as the tables show it, and how much it varies.
Distribution stepOf(const Run &run)
{
    return summarize(run).stepElapsed.value_or(Distribution{});
}

/// What messages of the largest size reach, where they are large beside those of `run`: only then latency and
/// bandwidth can be told apart.
std::optional<double> largeMessageGBs(const Run &run, const Run &largest)
{
    constexpr std::int64_t kMuchLarger = 4;
    const RunSummary large = summarize(largest);
    return largestPayload(large) >= kMuchLarger * largestPayload(summarize(run)) ? achievedGBs(large) : std::nullopt;
}

std::vector<SizePoint> pairsOf(const std::vector<const Run *> &runs, std::string_view option, int ranks)
{
    std::map<std::int64_t, SizePoint> bySize;
    const Run *first = nullptr;
    for (const Run *run : runs) {
        const int own = run->experiment().ranks();
        if (own != 1 && own != ranks)
            continue;
        first = first == nullptr ? run : first;
        if (!sameLayerBut(option, first->experiment(), run->experiment()))
            continue;
        SizePoint &point = bySize[sizeOf(*run, option)];
        point.size = sizeOf(*run, option);
        (own == 1 ? point.one : point.many) = run;
        (own == 1 ? point.oneStep : point.manyStep) = stepOf(*run);
    }
    std::vector<SizePoint> points;
    for (const auto &[size, point] : bySize) {
        if (point.oneStep.median > 0 && point.manyStep.median > 0)
            points.push_back(point);
    }
    return points;
}

/// Where some sizes differ less than they vary: which are clear, one way or the other, and which are not.
Text noisyFinding(const std::vector<SizePoint> &points, std::string_view option, int ranks)
{
    std::vector<std::string> faster;
    std::vector<std::string> slower;
    std::vector<std::string> unclear;
    for (const SizePoint &point : points)
        (point.unclear() ? unclear : point.faster() ? faster : slower).push_back(std::to_string(point.size));
    std::vector<std::string> args{std::to_string(ranks), std::string(option)};
    if (faster.empty() && slower.empty()) {
        args.insert(args.end(), {unclear.front(), unclear.back()});
        return {TextId::CrossoverNoise, std::move(args)};
    }
    for (const auto &sizes : {faster, slower, unclear}) {
        if (!sizes.empty())
            args.push_back(listText(sizes));
    }
    const TextId id = slower.empty()   ? TextId::CrossoverFasterNoise
                      : faster.empty() ? TextId::CrossoverSlowerNoise
                                       : TextId::CrossoverMixedNoise;
    return {id, std::move(args)};
}

Text findingOf(const std::vector<SizePoint> &points, std::size_t firstFaster, std::string_view option, int ranks)
{
    if (std::ranges::any_of(points, &SizePoint::unclear))
        return noisyFinding(points, option, ranks);
    const auto at = [&](std::size_t i) { return std::to_string(points[i].size); };
    std::vector<std::string> args{std::to_string(ranks), std::string(option)};
    const std::size_t last = points.size() - 1;
    if (firstFaster == 0) {
        args.insert(args.end(), {at(0), at(last)});
        return {TextId::CrossoverAlways, std::move(args)};
    }
    if (std::ranges::none_of(points, &SizePoint::faster)) {
        args.insert(args.end(), {at(0), at(last)});
        return {TextId::CrossoverNever, std::move(args)};
    }
    const auto below = points.begin() + static_cast<std::ptrdiff_t>(firstFaster);
    if (firstFaster < points.size() && std::none_of(points.begin(), below, [](const auto &p) { return p.faster(); })) {
        args.insert(args.end(), {at(firstFaster), at(firstFaster - 1)});
        return {TextId::CrossoverFrom, std::move(args)};
    }
    std::vector<std::string> faster;
    std::vector<std::string> slower;
    for (const SizePoint &point : points)
        (point.faster() ? faster : slower).push_back(std::to_string(point.size));
    args.insert(args.end(), {listText(faster), listText(slower)});
    return {TextId::CrossoverMixed, std::move(args)};
}

} // namespace

bool SizePoint::unclear() const
{
    return oneStep.samples > 1 && manyStep.samples > 1 && oneStep.p10 <= manyStep.p90 && manyStep.p10 <= oneStep.p90;
}

bool SizePoint::faster() const
{
    return !unclear() && oneStep.median >= kFaster * manyStep.median;
}

bool sameLayerBut(std::string_view option, const Experiment &a, const Experiment &b)
{
    Experiment other = b;
    other.mesh = a.mesh;
    other.threads = a.threads; // resolved by the number of ranks
    other.steps = a.steps;     // how often is no other layer
    other.warmup = a.warmup;
    std::vector<std::string_view> free = dependents(option);
    free.push_back(option);
    for (const std::string_view each : free)
        findOption(each)->set(other, findOption(each)->get(a));
    return other == a;
}

std::optional<Crossover> crossoverOf(const std::vector<const Run *> &runs, std::string_view option, int ranks)
{
    Crossover found;
    found.ranks = ranks;
    found.points = pairsOf(runs, option, ranks);
    const std::vector<SizePoint> &points = found.points;
    if (points.size() < 2)
        return std::nullopt;
    std::size_t firstFaster = points.size();
    while (firstFaster > 0 && points[firstFaster - 1].faster())
        --firstFaster;
    if (firstFaster < points.size())
        found.from = points[firstFaster].size;
    found.finding = findingOf(points, firstFaster, option, ranks);
    const bool crosses = firstFaster > 0 && firstFaster < points.size();
    const auto clear = [](const SizePoint &point) { return !point.unclear(); };
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(crosses ? firstFaster : points.size());
    const auto first = std::find_if(points.begin(), end, clear);
    if (first == end)
        return found;
    const SizePoint &below = crosses ? *std::find_if(std::make_reverse_iterator(end), points.rend(), clear) : *first;
    found.causeAt = below.size;
    found.cause = speedupFinding(*below.one, *below.many, largeMessageGBs(*below.many, *points.back().many));
    return found;
}

} // namespace shardscope
