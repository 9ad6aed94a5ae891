// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"

namespace shardscope {
namespace {

constexpr int kFfnPerHidden = 4;

Text unknownOption(const std::string &option)
{
    if (isFutureOption(option))
        return {TextId::OptionNotInThisVersion, {option}};
    std::vector<std::string> known;
    for (const ExperimentOption &o : experimentOptions())
        known.emplace_back(o.name);
    const std::string near = nearestWord(option, known);
    if (near.empty())
        return {TextId::OptionUnknown, {option, listText(known)}};
    return {TextId::OptionUnknownNear, {option, near}};
}

/// Where an option that does not apply would: the schemes and phases that differ from this experiment in one thing.
std::string placesThatUse(const ExperimentOption &option, const Experiment &e)
{
    std::vector<std::string> places;
    for (const Scheme scheme : {Scheme::Column, Scheme::Row, Scheme::Mlp}) {
        Experiment other = e;
        other.scheme = scheme;
        if (option.applies(other))
            places.push_back("--scheme " + std::string(name(scheme)));
    }
    for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
        Experiment other = e;
        other.phase = phase;
        if (option.applies(other))
            places.push_back("--phase " + std::string(name(phase)));
    }
    return listText(places);
}

std::optional<Text> unusedProblem(const ExperimentOption &option, const Experiment &e)
{
    const std::string places = placesThatUse(option, e);
    return Text{TextId::OptionUnused,
                {std::string(option.name), std::string(name(e.scheme)), std::string(name(e.phase)), places}};
}

/// The experiment with every option at its default, given what other options say.
Experiment defaultsFor(const Experiment &e)
{
    Experiment defaults;
    defaults.ffn = kFfnPerHidden * e.hidden;
    return defaults;
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
    if (!given.contains("ffn"))
        e.ffn = defaultsFor(e).ffn;
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
    if (byRanks.mesh == byMesh.mesh)
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
        const bool said = option.name == "mesh"; // by --ranks
        const std::string value = option.get(experiment);
        if (said || !option.applies(experiment) || value == option.get(defaults))
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
