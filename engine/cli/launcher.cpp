// SPDX-License-Identifier: MIT
#include "engine/cli/launcher.h"

#include "engine/cli/arguments.h"
#include "engine/cli/console.h"
#include "engine/supervise/launch.h"
#include "engine/supervise/machine_facts.h"

namespace shardscope::cli {
namespace {

/// How the program was started does not change while it runs.
std::optional<Launch> &joined()
{
    static std::optional<Launch> launch;
    return launch;
}

} // namespace

bool beginTogether(Together together)
{
    if (together == Together::Alone)
        return true;
    const auto launch = readLaunch(environmentVariable);
    if (!launch && together == Together::FirstOnly)
        return true; // what its variables say does not matter to this command
    if (!launch)
        throw badArgument(english(launch.problem()));
    if (!*launch)
        return true;
    if ((*launch)->rank > 0)
        complainAs("rank " + std::to_string((*launch)->rank));
    if (together == Together::FirstOnly)
        return (*launch)->isFirst();
    joined() = *launch;
    if (isJoined()) {
        if (const auto problem = refuseNetwork(**launch))
            throw badArgument(english(*problem));
    }
    return true;
}

bool isJoined()
{
    return joined() && joined()->worldSize > 1;
}

bool follows()
{
    return joined() && !joined()->isFirst();
}

std::optional<int> startedRanks()
{
    return joined() ? std::optional(joined()->worldSize) : std::nullopt;
}

OptionValues withStartedRanks(OptionValues given)
{
    if (!joined())
        return given;
    if (!given.contains("mesh"))
        given.try_emplace("ranks", std::to_string(joined()->worldSize));
    // Before anything is refused that depends on their number.
    Experiment ranks;
    if (const auto asked = given.find("ranks"); asked != given.end() && !findOption("ranks")->set(ranks, asked->second))
        requireStartedRanks(ranks.ranks());
    return given;
}

void requireStartedRanks(int ranks)
{
    if (!joined() || ranks == joined()->worldSize)
        return;
    const std::string started = counted(joined()->worldSize, "rank was|ranks were");
    throw badArgument(counted(ranks, "rank|ranks") + ": " + started + " started (" + joined()->launcher +
                      "), and they work together; allowed: --ranks " + std::to_string(joined()->worldSize) +
                      ", a --mesh of as many, or neither");
}

int ranksHere(int ranks)
{
    return isJoined() ? joined()->localWorldSize : ranks;
}

Experiment withStartedThreads(Experiment experiment)
{
    if (isJoined() && experiment.threads <= 0)
        experiment.threads = startedThreads(joined()->localWorldSize);
    return experiment;
}

HostProcessOptions hostForRanks()
{
    HostProcessOptions options;
    if (isJoined())
        options.word = "join";
    return options;
}

} // namespace shardscope::cli
