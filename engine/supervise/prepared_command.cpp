// SPDX-License-Identifier: MIT
#include "engine/supervise/prepared_command.h"

#include "engine/plan/experiment_options.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/plan.h"
#include "engine/plan/run_limits.h"
#include "engine/supervise/gpu_ranks.h"
#include "engine/supervise/machine_facts.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace shardscope {
namespace {

/// FLOP/s of a core that nobody would wait for: the reference BLAS, without any vector instruction, is ten times as
/// fast.
constexpr double kSlowestCore = 5e8;
/// A generated value is made once, and again four times for the reference, each time for products with a few tokens.
constexpr double kOperationsPerValue = 100;

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

/// What one step, or the values and the reference of a run, takes at that speed: a rank that says nothing for so long
/// will not come back, however busy it is.
std::chrono::duration<double> slowestWork(const Experiment &experiment)
{
    const Plan plan = buildPlan(experiment);
    double operations = 0;
    for (const Step &step : plan.steps)
        operations += static_cast<double>(step.flops);
    for (const Tensor &tensor : plan.tensors) {
        if (tensor.generated)
            operations += kOperationsPerValue * static_cast<double>(tensor.elements()) / experiment.ranks();
    }
    const double ranksPerCore = std::max(1.0, static_cast<double>(experiment.ranks()) / allowedCores());
    return std::chrono::duration<double>(operations * ranksPerCore / kSlowestCore);
}

/// Ranks that this host's cores and memory are for.
int ranksHere(int ranks, const HostOptions &options)
{
    return options.launch ? options.launch->localWorldSize : ranks;
}

void resolve(Experiment &experiment, const HostOptions &options)
{
    experiment.backend = resolvedBackend(experiment.backend, options.gpus);
    experiment.timeoutSeconds = experiment.timeout();
    if (experiment.threads <= 0)
        experiment.threads = defaultThreads(ranksHere(experiment.ranks(), options));
}

std::optional<Text> refuseForBytes(const Experiment &experiment, Backend backend, const HostOptions &options)
{
    const std::int64_t bytes = options.estimateBytesPerRank(experiment);
    const int ranks = ranksHere(experiment.ranks(), options);
    if (backend != Backend::Cuda)
        return refuseForMemory(bytes, ranks, availableMemoryBytes());
    // Who else is on the GPUs is only asked where it could matter.
    const bool large = refuseForGpuMemory(2 * bytes, ranks, options.gpus).has_value();
    return refuseForGpuMemory(bytes, ranks, large ? withFreeMemory(options.gpus) : options.gpus);
}

/// What the ranks of a command run on, and what that means for its times. `backend` is what `asked` became.
Machine machineOf(const HelloEvent &hello, Backend asked, Backend backend, int ranks, int threads,
                  const HostOptions &options)
{
    if (backend == Backend::Cuda)
        return machineOfGpuRanks(hello.machine, ranks, options.gpus);
    Machine machine = machineOfRanks(hello.machine, ranks, threads);
    machine.backend = "gloo";
    if (const auto note = asked == Backend::Auto ? whyNoGpu() : std::nullopt)
        machine.notes.push_back(english(*note));
    return machine;
}

/// Of ranks that were started one by one there are as many as there are.
std::optional<Text> refuseOtherRanks(const char *command, int ranks, const HostOptions &options)
{
    if (!options.launch || ranks == options.launch->worldSize)
        return std::nullopt;
    return Text{TextId::CommandFieldBad, {command, "ranks", std::to_string(options.launch->worldSize)}};
}

} // namespace

std::chrono::duration<double> expectedSilence(const PreparedCommand &command)
{
    const double delay = command.delay ? command.delay->milliseconds / 1000 : 0;
    return std::chrono::duration<double>(command.timeoutSeconds + delay);
}

Machine machineOfRanks(const Machine &machine, int ranks, int threads)
{
    Machine result = machine;
    result.devices.clear();
    const std::string device = counted(threads, "CPU thread|CPU threads");
    for (int rank = 0; rank < ranks; ++rank)
        result.devices.push_back("rank " + std::to_string(rank) + ": " + device);
    const int cores = allowedCores();
    if (threads > 1 && ranks * threads > cores)
        result.notes.insert(result.notes.begin(),
                            english({TextId::ThreadsShareCores,
                                     {std::to_string(ranks), std::to_string(threads), std::to_string(cores)}}));
    result.notes.insert(result.notes.begin(), english(ranksOnCores(ranks, cores)));
    return result;
}

Machine machineOfStartedRanks(const Machine &machine, const Machine &told)
{
    Machine result = machine;
    const int cores = coresOf(told);
    const auto ranks = static_cast<int>(told.devices.size());
    result.host = machineTitle(cores);
    result.devices = told.devices;
    result.hosts = told.hosts;
    if (!told.backend.empty())
        result.backend = told.backend;
    const auto say = [&result](const Text &note) { result.notes.insert(result.notes.begin(), english(note)); };
    if (told.hosts.size() > 1)
        say({TextId::RanksOnHosts, {std::to_string(ranks), std::to_string(told.hosts.size())}});
    else if (told.backend != "nccl")
        say(ranksOnCores(ranks, cores));
    if (const auto shared = told.backend == "nccl" ? startedRanksOnGpus(told) : std::nullopt)
        say(*shared);
    return result;
}

Preparation prepare(const RunCommand &command, const HostOptions &options, const HelloEvent &hello)
{
    // Whether an option applies was the front's to say: of a three-phase run each phase carries all options.
    auto experiment = readExperiment(command.experiment, Unused::Allow);
    if (!experiment)
        return refuse(command.id, experiment.problem());
    if (auto problem = runLimitProblem(*experiment))
        return refuse(command.id, std::move(*problem));
    const Backend backend = resolvedBackend(experiment->backend, options.gpus);
    if (const auto problem = refuseBackend(backend, options.gpus))
        return refuse(command.id, *problem);
    if (const auto problem = refuseForThreads(experiment->threads, allowedCores()))
        return refuse(command.id, *problem);
    if (const auto problem = refuseForBytes(*experiment, backend, options))
        return refuse(command.id, *problem, TextId::LessMemoryRemedy);
    if (const auto problem = refuseOtherRanks("run", experiment->ranks(), options))
        return refuse(command.id, *problem);
    const Backend asked = experiment->backend;
    resolve(experiment.value(), options);

    RunCommand resolved = command;
    resolved.experiment = allOptions(*experiment);
    RunEvent opening;
    opening.id = command.id;
    opening.startedAt = localTime();
    opening.experiment = resolved.experiment;
    opening.machine = machineOf(hello, asked, backend, experiment->ranks(), experiment->threads, options);
    PreparedCommand prepared;
    prepared.id = command.id;
    prepared.ranks = experiment->ranks();
    prepared.timeoutSeconds = experiment->timeoutSeconds;
    prepared.delay = experiment->delay;
    prepared.workLimit = options.workMargin + expectedSilence(prepared) + slowestWork(*experiment);
    prepared.line = encode(Command(resolved));
    prepared.opening = opening;
    return prepared;
}

Preparation prepare(const MeasureCommand &command, const HostOptions &options, const HelloEvent &hello)
{
    if (command.ranks > kMostRanksInRun)
        return refuse(command.id, Text{TextId::CommandFieldBad,
                                       {"measure", "ranks", "at most " + std::to_string(kMostRanksInRun)}});
    if (const auto problem = refuseOtherRanks("measure", command.ranks, options))
        return refuse(command.id, *problem);
    if (const auto problem = refuseBackend(command.backend, options.gpus))
        return refuse(command.id, *problem);
    MeasureCommand resolved = command;
    resolved.backend = resolvedBackend(command.backend, options.gpus);
    const int threads = defaultThreads(ranksHere(command.ranks, options));
    PreparedCommand prepared;
    prepared.id = command.id;
    prepared.ranks = command.ranks;
    prepared.timeoutSeconds = timeoutOn(resolved.backend);
    prepared.workLimit = 3 * options.workMargin; // 64 ranks that share a core, at the largest message
    prepared.line = encode(Command(resolved));
    prepared.machine = machineOf(hello, command.backend, resolved.backend, command.ranks, threads, options);
    return prepared;
}

} // namespace shardscope
