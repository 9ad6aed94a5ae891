// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"

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
    const std::string places = placesThatUse(option, e);
    return Text{TextId::OptionUnused,
                {std::string(option.name), std::string(name(e.scheme)), std::string(name(e.phase)), places}};
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

/// --ranks and --mesh say the same thing; given both, they must agree.
std::optional<Text> meshConflict(const OptionValues &given)
{
    const auto ranks = given.find("ranks");
    const auto mesh = given.find("mesh");
    if (ranks == given.end() || mesh == given.end())
        return std::nullopt;
    Experiment byRanks;
    Experiment byMesh;
    findOption("ranks")->set(byRanks, ranks->second);
    findOption("mesh")->set(byMesh, mesh->second);
    if (byRanks.ranks() == byMesh.ranks())
        return std::nullopt;
    return Text{TextId::RanksContradictMesh, {ranks->second, mesh->second, std::to_string(byMesh.mesh.size())}};
}

std::optional<Text> dropUnused(Experiment &e, const OptionValues &given, Unused unused)
{
    const Experiment defaults = defaultsFor(e);
    for (const ExperimentOption &option : experimentOptions()) {
        if (option.applies(e) || given.find(option.name) == given.end())
            continue;
        if (unused == Unused::Refuse)
            return unusedProblem(option, e);
        option.set(e, option.get(defaults));
    }
    return std::nullopt;
}

} // namespace

Experiment defaultsFor(const Experiment &e)
{
    Experiment defaults;
    defaults.scheme = e.scheme;
    defaults.mesh = meshAlong(ownAxis(e.scheme), defaults.ranks());
    defaults.ffn = kFfnPerHidden * e.hidden;
    defaults.heads = std::max<std::int64_t>(1, e.hidden / kHeadSize);
    defaults.kvHeads = e.heads;
    defaults.layers = e.repeatedLayer() ? e.extent(MeshAxis::Pp) : 1;
    defaults.cache = e.sequence;
    // The exercise has none, and a bias on an addend would be another mistake.
    defaults.bias = e.scheme != Scheme::BugNaiveExercise && e.scheme != Scheme::BugNonlinearityOnPartial;
    return defaults;
}

Expected<Experiment> readExperiment(const OptionValues &given, Unused unused)
{
    Experiment e;
    if (auto problem = applyAll(e, given))
        return *problem;
    if (auto problem = meshConflict(given))
        return *problem;
    if (auto problem = dropUnused(e, given, unused))
        return *problem;
    if (auto problem = validate(e))
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
