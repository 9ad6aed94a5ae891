// SPDX-License-Identifier: MIT
#include "engine/plan/candidates.h"
#include "engine/plan/experiment_options.h"
#include "engine/plan/option_reading.h"
#include "engine/plan/refusal.h"
#include "engine/plan/unused_options.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr int kFfnPerHidden = 4;
constexpr std::int64_t kHeadSize = 64;

Text unknownOption(const std::string &option)
{
    std::vector<std::string> known;
    for (const ExperimentOption &o : experimentOptions())
        known.emplace_back(o.name);
    const std::string near = nearestWord(option, known);
    if (near.empty())
        return {TextId::OptionUnknown, {option, commaList(known)}};
    return {TextId::OptionUnknownNear, {option, near}};
}

std::optional<Text> applyAll(Experiment &e, const OptionValues &given)
{
    for (const auto &[option, value] : given) {
        const ExperimentOption *known = findOption(option);
        if (known == nullptr)
            return unknownOption(option);
        if (auto problem = known->set(e, value))
            return problem;
    }
    // --ranks was read before the scheme: without a mesh they lie on the scheme's own axis, and a mesh says it all.
    if (given.contains("mesh"))
        (void)findOption("mesh")->set(e, given.at("mesh"));
    else
        e.mesh = meshAlong(ownAxis(e.scheme), e.ranks());
    // Defaults that follow from other options, in the order in which they depend on each other.
    for (const char *option : {"ffn", "heads", "kv-heads", "layers", "cache", "bias"}) {
        if (!given.contains(option))
            findOption(option)->set(e, findOption(option)->get(defaultsFor(e)));
    }
    return std::nullopt;
}

/// --ranks and --mesh say the same thing; given both, they must agree. `e` has the mesh.
std::optional<Refusal> meshConflict(const Experiment &e, const OptionValues &given)
{
    if (!given.contains("ranks") || !given.contains("mesh"))
        return std::nullopt;
    Experiment byRanks;
    findOption("ranks")->set(byRanks, given.at("ranks"));
    const int ranks = byRanks.ranks();
    if (ranks == e.ranks())
        return std::nullopt;
    return Refusal{{TextId::RanksContradictMesh, {given.at("ranks"), given.at("mesh"), std::to_string(e.ranks())}},
                   [e, ranks] { return agreeingMeshes(e, ranks); }};
}

std::optional<Refusal> brokenRule(const Experiment &e, const OptionValues &given)
{
    auto found = firstViolation(e);
    if (!found)
        return std::nullopt;
    return Refusal{std::move(found->text),
                   [e, given, mendedBy = std::move(found->mendedBy)] { return candidatesFor(e, mendedBy, given); }};
}

/// An experiment may have been filled in field by field: each value must be one that its option would read.
std::optional<Text> valueProblem(const Experiment &e)
{
    for (const ExperimentOption &option : experimentOptions()) {
        Experiment unused = e;
        if (auto problem = option.set(unused, option.get(e)))
            return problem;
    }
    return std::nullopt;
}

/// Heads of its own for each query head; where ranks must share heads for a mistake to show, the most that they can.
std::int64_t defaultKvHeads(const Experiment &e)
{
    if (e.scheme != Scheme::BugUnreducedKv)
        return e.heads;
    const std::int64_t ranks = e.extent(MeshAxis::Tp);
    for (std::int64_t k = std::min(e.heads, ranks - 1); k > 1; --k) {
        if (ranks % k == 0 && e.heads % k == 0)
            return k;
    }
    return 1;
}

/// Nobody says what was given: what is at its default follows.
OptionValues valuesOfTheirOwn(const Experiment &e)
{
    const Experiment defaults = defaultsFor(e);
    // --ranks says it all where only the scheme's own axis is used.
    const bool ownAxisOnly = e.mesh == meshAlong(ownAxis(e.scheme), e.ranks());
    OptionValues given{{"scheme", std::string(name(e.scheme))}};
    for (const ExperimentOption &option : experimentOptions()) {
        const bool said = option.name == (ownAxisOnly ? "mesh" : "ranks");
        if (!said && option.get(e) != option.get(defaults))
            given.emplace(option.name, option.get(e));
    }
    return given;
}

Reader readerOfOne(Unused unused)
{
    return [unused](const OptionValues &values) {
        Experiment read;
        return refusalOf(values, unused, read);
    };
}

} // namespace

Experiment defaultsFor(const Experiment &e)
{
    Experiment defaults;
    defaults.scheme = e.scheme;
    defaults.mesh = meshAlong(ownAxis(e.scheme), defaults.ranks());
    defaults.ffn = kFfnPerHidden * e.hidden;
    defaults.heads = std::max<std::int64_t>(1, e.hidden / kHeadSize);
    defaults.kvHeads = defaultKvHeads(e);
    defaults.layers = e.repeatedLayer() ? e.extent(MeshAxis::Pp) : 1;
    defaults.cache = e.sequence;
    // The exercise has none, and a bias on an addend would be another mistake.
    defaults.bias = e.scheme != Scheme::BugNaiveExercise && e.scheme != Scheme::BugNonlinearityOnPartial;
    return defaults;
}

Experiment withoutUnused(const Experiment &experiment)
{
    Experiment used = experiment;
    for (const ExperimentOption &option : experimentOptions()) {
        if (!option.applies(experiment))
            option.set(used, option.get(defaultsFor(used))); // in an order in which none follows from a later one
    }
    return used;
}

std::optional<Refusal> refusalOf(const OptionValues &given, Unused unused, Experiment &read)
{
    Experiment e;
    if (auto problem = applyAll(e, given))
        return Refusal{std::move(*problem), {}};
    if (unused == Unused::Refuse) {
        if (auto refusal = unusedRefusal(e, given))
            return refusal;
    }
    read = withoutUnused(e);
    if (auto refusal = meshConflict(read, given))
        return refusal;
    return brokenRule(read, given);
}

Expected<Experiment> readExperiment(const OptionValues &given, Unused unused)
{
    Experiment read;
    if (const auto refusal = refusalOf(given, unused, read))
        return advised(*refusal, given, readerOfOne(unused));
    return read;
}

std::optional<Text> validate(const Experiment &experiment)
{
    if (auto problem = valueProblem(experiment))
        return problem;
    const Experiment used = withoutUnused(experiment);
    const OptionValues given = valuesOfTheirOwn(used);
    if (const auto refusal = brokenRule(used, given))
        return advised(*refusal, given, readerOfOne(Unused::Allow));
    return std::nullopt;
}

std::string commandLine(const Experiment &experiment)
{
    const Experiment defaults = defaultsFor(experiment);
    std::string line;
    for (const ExperimentOption &option : experimentOptions()) {
        // --ranks says it all where only the scheme's own axis is used.
        const bool ownAxisOnly = experiment.mesh == meshAlong(ownAxis(experiment.scheme), experiment.ranks());
        const bool said = option.name == (ownAxisOnly ? "mesh" : "ranks");
        const std::string value = option.get(experiment);
        const bool isScheme = option.name == "scheme";
        if (said || !option.applies(experiment) || value == option.get(isScheme ? Experiment{} : defaults))
            continue;
        line += (line.empty() ? "--" : " --") + std::string(option.name) + " " + value;
    }
    return line;
}

OptionValues allOptions(const Experiment &experiment)
{
    OptionValues all;
    for (const ExperimentOption &option : experimentOptions())
        all.emplace(option.name, option.get(experiment));
    return all;
}

} // namespace shardscope
