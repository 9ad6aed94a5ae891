// SPDX-License-Identifier: MIT
#include "engine/cli/points.h"

#include "engine/cli/advised_reading.h"
#include "engine/cli/option_lists.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/option_uses.h"
#include "engine/plan/plan.h"

#include <algorithm>
#include <numeric>

namespace shardscope::cli {
namespace {

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

/// The multiples of `unit` below and above the batch.
std::vector<Row> multiplesNear(std::int64_t batch, std::int64_t unit)
{
    constexpr std::int64_t kTried = 256;
    const std::int64_t below = batch / unit;
    Row less;
    Row more;
    for (std::int64_t off = 0; off < kTried; ++off) {
        if (below - off > 0)
            less.push_back({{"batch", std::to_string((below - off) * unit)}});
        if ((below + 1 + off) * unit <= kMostBatch)
            more.push_back({{"batch", std::to_string((below + 1 + off) * unit)}});
    }
    return {less, more};
}

/// Replaces the batch of the whole step by that of one micro-batch of one replica. Attention needs whole sequences;
/// where no token sees another, tokens are dealt.
void dealTokens(OptionValues &point, const Experiment &whole)
{
    const std::int64_t parts = std::int64_t{whole.extent(MeshAxis::Dp)} * whole.microBatches;
    const bool wholeSequences = option_uses::attention(whole);
    const std::int64_t unit = wholeSequences ? parts : parts / std::gcd(parts, whole.sequence);
    if (whole.batch % unit != 0)
        throw Refused{{{wholeSequences ? TextId::SequencesNotDealt : TextId::TokensNotDealt,
                        {std::to_string(whole.batch), std::string(name(whole.scheme)),
                         std::to_string(whole.extent(MeshAxis::Dp)), std::to_string(whole.microBatches)}},
                       [batch = whole.batch, unit] { return multiplesNear(batch, unit); }}};
    const bool bySequences = whole.batch % parts == 0;
    const std::int64_t tokens = whole.batch * whole.sequence / parts;
    point["batch"] = std::to_string(bySequences ? whole.batch / parts : 1);
    point["sequence"] = std::to_string(bySequences ? whole.sequence : tokens);
}

/// "block": what the scheme computes, whoever computes which part of it; the bug lab's what it should compute.
std::string layerOf(const Experiment &e)
{
    const auto repeated = e.repeatedLayer();
    return std::string(repeated ? name(*repeated) : name(buildPlan(e).rightScheme.value_or(e.scheme)));
}

/// "2 x block without bias".
std::string computedBy(const Experiment &e, bool bias)
{
    return (e.layers > 1 ? std::to_string(e.layers) + " x " : "") + layerOf(e) + (bias ? "" : " without bias");
}

/// No size makes layers of two kinds one layer, so this is said before the sizes are looked at.
void refuseOtherKinds(const std::vector<OptionValues> &points)
{
    std::vector<Experiment> kinds;
    for (const OptionValues &point : points) {
        OptionValues kind;
        for (const char *option : {"scheme", "layer"}) {
            if (const auto value = point.find(option); value != point.end())
                kind.insert(*value);
        }
        Experiment read;
        if (refusalOf(kind, Unused::Allow, read))
            return; // what is wrong with the word is said when the points are read
        kinds.push_back(std::move(read));
        if (layerOf(kinds.back()) != layerOf(kinds.front()))
            throw Refused{{{TextId::SchemesOfOtherLayers,
                            {std::string(name(kinds.front().scheme)), layerOf(kinds.front()),
                             std::string(name(kinds.back().scheme)), layerOf(kinds.back())}},
                           {}}};
    }
}

/// Where some have a bias and others cannot have one, all do without.
std::vector<Row> otherBias()
{
    return {{{{"bias", "off"}}}, {{{"bias", "on"}}}};
}

void refuseAnotherLayer(const std::vector<Experiment> &points)
{
    const Experiment &first = points.front();
    for (const Experiment &point : points) {
        if (computedBy(point, point.bias) == computedBy(first, first.bias))
            continue;
        const bool onlyBias = computedBy(point, true) == computedBy(first, true);
        Refusal refusal{{onlyBias ? TextId::SchemesOfOtherBias : TextId::SchemesOfOtherLayers,
                         {std::string(name(first.scheme)), computedBy(first, first.bias),
                          std::string(name(point.scheme)), computedBy(point, point.bias)}},
                        {}};
        if (onlyBias)
            refusal.rows = otherBias;
        throw Refused{std::move(refusal)};
    }
}

/// The phases that can be shown of a layer with these options, or Refused.
PhasePoints everyPhase(const OptionValues &given)
{
    if (given.contains("phase"))
        throw badArgument("--phase: compare runs training, prefill and decode; use run for one phase");
    PhasePoints phases;
    OptionValues first;
    for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
        OptionValues point = given;
        point["phase"] = std::string(name(phase));
        Experiment read;
        auto refusal = refusalOf(point, Unused::Allow, read);
        if (refusal && refusal->text.id == TextId::BugNeedsTraining) {
            phases.leftOut.push_back(std::string(name(phase)) + " is left out: " + given.find("scheme")->second +
                                     " is in the backward pass");
            continue;
        }
        if (refusal)
            throw Refused{std::move(*refusal)};
        phases.points.push_back(std::move(read));
        if (phase == Phase::Training)
            first = point;
    }
    refuseUnused(given, phases.points, first);
    return phases;
}

/// The points of a comparison of schemes, or Refused.
std::vector<Experiment> everyScheme(const std::vector<std::string> &schemes, const OptionValues &given)
{
    if (given.contains("scheme"))
        throw badArgument("--scheme: --schemes names them all; allowed: one of the two");
    if (const auto phase = given.find("phase"); phase != given.end() && phase->second != name(Phase::Training))
        throw badArgument("--phase " + phase->second + ": --schemes compares training steps; allowed: training");
    std::vector<OptionValues> all = pointsOf(schemes, given);
    refuseOtherKinds(all);
    std::vector<Experiment> points;
    for (const OptionValues &point : all)
        points.push_back(readOrRefuse(point, Unused::Allow));
    refuseUnused(given, points, all.front());
    const auto deepest = std::ranges::max_element(points, {}, &Experiment::layers);
    const std::string layers = std::to_string(deepest->layers);
    for (std::size_t i = 0; i < points.size(); ++i) {
        all[i].try_emplace("layers", layers);
        dealTokens(all[i], points[i]);
        points[i] = readOrRefuse(all[i], Unused::Allow);
    }
    refuseAnotherLayer(points);
    return points;
}

} // namespace

Experiment readPoint(const OptionValues &given, Purpose purpose)
{
    return readAdvised(
        given, [](const OptionValues &values) { return readOrRefuse(values, Unused::Refuse); },
        [purpose](const Experiment &point) {
            return isPossible(purpose, {&point, 1});
        });
}

Experiment readOptionsAlone(const OptionValues &given)
{
    Experiment experiment;
    for (const auto &[name, value] : given) {
        if (const std::optional<Text> problem = findOption(name)->set(experiment, value))
            throw badArgument(english(*problem));
    }
    return experiment;
}

PhasePoints readPhases(const OptionValues &given, Purpose purpose)
{
    return readAdvised(given, everyPhase,
                       [purpose](const PhasePoints &phases) { return isPossible(purpose, phases.points); });
}

std::vector<Experiment> readSchemes(const std::string &list, const OptionValues &given, Purpose purpose)
{
    const std::vector<std::string> schemes = splitList("schemes", list);
    return readAdvised(
        given, [&](const OptionValues &values) { return everyScheme(schemes, values); },
        [purpose](const std::vector<Experiment> &points) { return isPossible(purpose, points); }, 2 * schemes.size());
}

} // namespace shardscope::cli
