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

/// Beyond what N ranks can give. An outlier has no cause that its own numbers show.
bool tooFast(const SizePoint &point)
{
    return point.pace() == Pace::Disturbed && !point.outlier;
}

/// Less work does not take longer; a little longer it may, where a kernel suits a size badly.
bool tookLonger(const Distribution &smaller, const Distribution &larger)
{
    constexpr double kMuchLonger = 1.25;
    const bool varies = smaller.samples > 1 && larger.samples > 1;
    return varies && smaller.median > kMuchLonger * larger.median && !differLessThanTheyVary(smaller, larger);
}

void markOutliers(std::vector<SizePoint> &points)
{
    for (auto point = points.begin(); point != points.end(); ++point) {
        point->outlier = std::any_of(point + 1, points.end(), [&](const SizePoint &larger) {
            return tookLonger(point->oneStep, larger.oneStep) || tookLonger(point->manyStep, larger.manyStep);
        });
    }
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
    for (auto &[size, point] : bySize) {
        if (!(point.oneStep.median > 0) || !(point.manyStep.median > 0))
            continue;
        point.mostSpeedup = mostPlausibleSpeedup(*point.one, *point.many);
        points.push_back(point);
    }
    markOutliers(points);
    return points;
}

/// A sentence where some sizes tell nothing: which are clear, one way or the other, and which are not.
struct UnclearSentences {
    TextId all;
    TextId faster;
    TextId slower;
    TextId mixed;
};
constexpr UnclearSentences kNoise{TextId::CrossoverNoise, TextId::CrossoverFasterNoise, TextId::CrossoverSlowerNoise,
                                  TextId::CrossoverMixedNoise};
constexpr UnclearSentences kDisturbed{TextId::CrossoverDisturbed, TextId::CrossoverFasterDisturbed,
                                      TextId::CrossoverSlowerDisturbed, TextId::CrossoverMixedDisturbed};

Text unclearFinding(const std::vector<SizePoint> &points, std::string_view option, int ranks)
{
    std::vector<std::string> faster;
    std::vector<std::string> slower;
    std::vector<std::string> unclear;
    bool disturbed = false;
    for (const SizePoint &point : points) {
        (!point.clear() ? unclear : point.faster() ? faster : slower).push_back(std::to_string(point.size));
        disturbed |= point.pace() == Pace::Disturbed;
    }
    const UnclearSentences &sentences = disturbed ? kDisturbed : kNoise;
    std::vector<std::string> args{std::to_string(ranks), std::string(option)};
    if (faster.empty() && slower.empty()) {
        args.insert(args.end(), {unclear.front(), unclear.back()});
        return {sentences.all, std::move(args)};
    }
    for (const auto &sizes : {faster, slower, unclear}) {
        if (!sizes.empty())
            args.push_back(commaList(sizes));
    }
    return {slower.empty() ? sentences.faster : faster.empty() ? sentences.slower : sentences.mixed, std::move(args)};
}

Text findingOf(const std::vector<SizePoint> &points, std::size_t firstFaster, std::string_view option, int ranks)
{
    if (!std::ranges::all_of(points, &SizePoint::clear))
        return unclearFinding(points, option, ranks);
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
    args.insert(args.end(), {commaList(faster), commaList(slower)});
    return {TextId::CrossoverMixed, std::move(args)};
}

} // namespace

Pace SizePoint::pace() const
{
    return outlier ? Pace::Disturbed : paceOf(oneStep, manyStep, mostSpeedup);
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
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(crosses ? firstFaster : points.size());
    auto first = std::find_if(points.begin(), end, [](const SizePoint &point) { return point.clear(); });
    const bool clear = first != end;
    if (!clear)
        first = std::find_if(points.begin(), end, tooFast);
    if (first == end)
        return found;
    const auto last = std::find_if(std::make_reverse_iterator(end), points.rend(),
                                   [](const SizePoint &point) { return point.clear(); });
    const SizePoint &below = crosses && clear ? *last : *first;
    found.causeAt = below.size;
    found.cause = speedupFinding(*below.one, *below.many, largeMessageGBs(*below.many, *points.back().many));
    return found;
}

std::vector<Text> disagreements(const Crossover &measured, const Crossover &predicted, std::string_view option)
{
    std::vector<std::string> onlyMeasured;
    std::vector<std::string> onlyPredicted;
    for (const SizePoint &point : measured.points) {
        const auto other = std::ranges::find(predicted.points, point.size, &SizePoint::size);
        if (other == predicted.points.end() || !point.clear() || !other->clear() || point.faster() == other->faster())
            continue;
        (point.faster() ? onlyMeasured : onlyPredicted).push_back(std::to_string(point.size));
    }
    std::vector<Text> texts;
    for (const auto &[id, sizes] : {std::pair(TextId::CrossoverOnlyMeasured, &onlyMeasured),
                                    std::pair(TextId::CrossoverOnlyPredicted, &onlyPredicted)}) {
        if (!sizes->empty())
            texts.push_back({id, {std::to_string(measured.ranks), std::string(option), commaList(*sizes)}});
    }
    return texts;
}

} // namespace shardscope
