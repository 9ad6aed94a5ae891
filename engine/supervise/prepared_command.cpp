// SPDX-License-Identifier: MIT
#include "engine/supervise/prepared_command.h"

#include "engine/plan/experiment_options.h"
#include "engine/supervise/machine_facts.h"

#include <array>
#include <ctime>

namespace shardscope {
namespace {

constexpr int kMostMeasuredRanks = 64;

Refusal refuse(const std::string &id, Text text, TextId remedy = TextId::NoReason)
{
    Refusal refusal;
    refusal.id = id;
    refusal.message.level = MessageEvent::Level::Error;
    refusal.message.text = std::move(text);
    refusal.message.remedy = Text{remedy, {}};
    return refusal;
}

/// "2025-03-01T14:05:09+01:00".
std::string localTime()
{
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 64> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
    std::string stamp(text.data(), length);
    // strftime writes +0100, ISO 8601's extended format wants +01:00.
    if (stamp.size() > 2)
        stamp.insert(stamp.size() - 2, ":");
    return stamp;
}

void resolve(Experiment &experiment, Backend backend)
{
    experiment.backend = backend;
    if (experiment.threads <= 0)
        experiment.threads = defaultThreads(experiment.ranks());
}

} // namespace

Machine machineOfRanks(const Machine &machine, int ranks, int threads)
{
    Machine result = machine;
    result.devices.clear();
    const std::string device = threads == 1 ? "1 CPU thread" : std::to_string(threads) + " CPU threads";
    for (int rank = 0; rank < ranks; ++rank)
        result.devices.push_back("rank " + std::to_string(rank) + ": " + device);
    result.notes.insert(result.notes.begin(), english(ranksOnCores(ranks, allowedCores())));
    return result;
}

Preparation prepare(const RunCommand &command, const HostOptions &options, const HelloEvent &hello)
{
    // Whether an option applies was the front's to say: of a three-phase run each phase carries all options.
    auto experiment = readExperiment(command.experiment, Unused::Allow);
    if (!experiment)
        return refuse(command.id, experiment.problem());
    if (experiment->backend != Backend::Auto && experiment->backend != options.backend)
        return refuse(command.id, Text{TextId::BackendMissing,
                                       {std::string(name(experiment->backend)), std::string(name(options.backend))}});
    if (const auto problem =
            refuseForMemory(options.estimateBytesPerRank(*experiment), experiment->ranks(), availableMemoryBytes()))
        return refuse(command.id, *problem, TextId::LessMemoryRemedy);
    resolve(experiment.value(), options.backend);

    RunCommand resolved = command;
    resolved.experiment = allOptions(*experiment);
    RunEvent opening;
    opening.id = command.id;
    opening.startedAt = localTime();
    opening.experiment = resolved.experiment;
    opening.machine = machineOfRanks(hello.machine, experiment->ranks(), experiment->threads);
    return PreparedCommand{command.id, experiment->ranks(), experiment->timeoutSeconds, encode(Command(resolved)),
                           opening};
}

Preparation prepare(const MeasureCommand &command)
{
    if (command.ranks > kMostMeasuredRanks)
        return refuse(command.id, Text{TextId::CommandFieldBad,
                                       {"measure", "ranks", "at most " + std::to_string(kMostMeasuredRanks)}});
    return PreparedCommand{command.id, command.ranks, Experiment{}.timeoutSeconds, encode(Command(command)), {}};
}

} // namespace shardscope
