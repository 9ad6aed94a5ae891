// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"
#include "engine/plan/option_reading.h"
#include "engine/plan/violation.h"

#include <algorithm>
#include <array>

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
        return {TextId::OptionUnknown, {option, listText(known)}};
    return {TextId::OptionUnknownNear, {option, near}};
}

constexpr std::array kCorrectSchemes{Scheme::Column, Scheme::Row,       Scheme::Mlp,    Scheme::Attention,
                                     Scheme::Block,  Scheme::Embedding, Scheme::Logits, Scheme::DataParallel,
                                     Scheme::Zero1,  Scheme::Zero2,     Scheme::Zero3,  Scheme::Pipeline};
constexpr std::array kPhases{Phase::Training, Phase::Prefill, Phase::Decode};

std::string schemeWords(Scheme scheme)
{
    return "--scheme " + std::string(name(scheme));
}

std::string phaseWords(Phase phase)
{
    return "--phase " + std::string(name(phase));
}

/// The places that differ in scheme and phase, of an option that needs both.
std::vector<std::string> placesOfBoth(const ExperimentOption &option, Experiment e)
{
    std::vector<std::string> places;
    for (const Scheme scheme : kCorrectSchemes) {
        for (const Phase phase : kPhases) {
            e.scheme = scheme;
            e.phase = phase;
            if (option.applies(e))
                places.push_back(schemeWords(scheme) + " " + phaseWords(phase));
        }
    }
    return places;
}

/// Where an option that does not apply would: the schemes and phases that differ from this experiment in one thing, or
/// in both.
std::string placesThatUse(const ExperimentOption &option, const Experiment &e)
{
    std::vector<std::string> places;
    const auto add = [&](const Experiment &other, const std::string &words) {
        if (option.applies(other))
            places.push_back(words);
    };
    Experiment other = e;
    for (const Scheme scheme : kCorrectSchemes) {
        other.scheme = scheme;
        add(other, schemeWords(scheme));
    }
    other = e;
    for (const Layer layer : {Layer::Mlp, Layer::Block}) {
        other.layer = layer;
        if (ownAxis(e.scheme) != MeshAxis::Tp)
            add(other, "--layer " + std::string(name(layer)));
    }
    other = e;
    other.mesh = Mesh{{1, 2, 2}};
    if (e.repeatedLayer())
        add(other, option.name == "zero" ? "--mesh tp=2,dp=2" : "--mesh tp=2,pp=2");
    other = e;
    for (const Phase phase : kPhases) {
        other.phase = phase;
        add(other, phaseWords(phase));
    }
    return listText(places.empty() ? placesOfBoth(option, e) : places);
}

std::optional<Text> unusedProblem(const ExperimentOption &option, const Experiment &e)
{
    if (option.name == "weight-dtype" && e.phase == Phase::Training && e.weightDtype != WeightDType::Same)
        return Text{TextId::WeightDTypeNeedsInference, {option.get(e)}};
    std::vector<std::string> args{std::string(option.name), std::string(name(e.scheme)), std::string(name(e.phase))};
    const std::string places = placesThatUse(option, e);
    if (places.empty())
        return Text{TextId::OptionUnusedAnywhere, std::move(args)};
    args.push_back(places);
    return Text{TextId::OptionUnused, std::move(args)};
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

GivenOptions namesOf(const OptionValues &given)
{
    GivenOptions names;
    for (const auto &[option, value] : given)
        names.insert(option);
    return names;
}

/// --ranks and --mesh say the same thing; given both, they must agree. `e` has the mesh.
std::optional<Text> meshConflict(const Experiment &e, const OptionValues &given)
{
    if (!given.contains("ranks") || !given.contains("mesh"))
        return std::nullopt;
    Experiment byRanks;
    findOption("ranks")->set(byRanks, given.at("ranks"));
    if (byRanks.ranks() == e.ranks())
        return std::nullopt;
    return Text{TextId::RanksContradictMesh,
                {given.at("ranks"), given.at("mesh"), std::to_string(e.ranks()),
                 agreeingMeshes(e, byRanks.ranks(), namesOf(given))}};
}

std::optional<Text> refusedUnused(const Experiment &e, const OptionValues &given)
{
    for (const ExperimentOption &option : experimentOptions()) {
        if (!option.applies(e) && given.find(option.name) != given.end())
            return unusedProblem(option, e);
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

Expected<Experiment> readExperiment(const OptionValues &given, Unused unused)
{
    Experiment e;
    if (auto problem = applyAll(e, given))
        return *problem;
    if (auto problem = unused == Unused::Refuse ? refusedUnused(e, given) : std::nullopt)
        return *problem;
    e = withoutUnused(e);
    if (auto problem = meshConflict(e, given))
        return *problem;
    if (auto problem = refusal(e, namesOf(given)))
        return *problem;
    return e;
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
