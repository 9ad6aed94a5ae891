// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/ui/pages/page_runs.h"

#include "ui/pages/hardware_values.h"

#include <cmath>
#include <string>

namespace shardscope {

// Machines as their engines would tell them.

inline constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;

inline GpuState gpuState(int number, const char *name, int gibibytes, int node, int links, int version)
{
    GpuState gpu;
    gpu.busId = "00000000:" + std::to_string(10 + number) + ":00.0";
    gpu.name = name;
    gpu.memoryBytes = gibibytes * kGibibyte;
    gpu.numaNode = node;
    gpu.pcieGeneration = 5;
    gpu.pcieLanes = 16;
    gpu.nvlinks = links;
    gpu.nvlinkVersion = version;
    return gpu;
}

/// `word` and `speed` of each pair.
template <typename PathOf>
Topology withPaths(Topology topology, PathOf pathOf)
{
    for (int from = 0; from < static_cast<int>(topology.gpus.size()); ++from) {
        for (int to = from + 1; to < static_cast<int>(topology.gpus.size()); ++to) {
            const auto [word, speed] = pathOf(from, to);
            topology.paths.push_back({from, to, word, speed});
        }
    }
    return topology;
}

inline Topology twoNodes(int cores, int gibibytes)
{
    return {{{0, cores, gibibytes * kGibibyte}, {1, cores, gibibytes * kGibibyte}}, {}, {}};
}

/// 8 or 16 GPUs that meet in an NVSwitch.
inline Topology onSwitch(int gpus)
{
    Topology topology = twoNodes(96, 1007);
    for (int i = 0; i < gpus; ++i)
        topology.gpus.push_back(gpuState(i, "NVIDIA H100 80GB HBM3", 80, i * 2 / gpus, 18, 4));
    return withPaths(std::move(topology), [](int, int) { return std::pair<std::string, double>("NV18", 450); });
}

/// Four GPUs with four NVLinks between each two.
inline Topology byLinks()
{
    Topology topology = twoNodes(32, 503);
    for (int i = 0; i < 4; ++i)
        topology.gpus.push_back(gpuState(i, "NVIDIA A100-SXM4-40GB", 40, i / 2, 12, 3));
    return withPaths(std::move(topology), [](int, int) { return std::pair<std::string, double>("NV4", 100); });
}

/// Two of one NUMA node, each of another kind.
inline Topology byPcie()
{
    Topology topology{{{0, 16, 125 * kGibibyte}}, {}, {}};
    topology.gpus = {gpuState(0, "NVIDIA GeForce RTX 4090", 24, -1, 0, 0),
                     gpuState(1, "NVIDIA RTX 6000 Ada Generation", 48, -1, 0, 0)};
    return withPaths(std::move(topology), [](int, int) { return std::pair<std::string, double>("PHB", 31.5); });
}

/// Four GPUs over two NUMA nodes, bridged by NVLink in pairs.
inline Topology bridged()
{
    Topology topology = twoNodes(24, 251);
    for (int i = 0; i < 4; ++i)
        topology.gpus.push_back(gpuState(i, "NVIDIA A100 80GB PCIe", 80, i / 2, 12, 3));
    return withPaths(std::move(topology), [](int from, int to) {
        return from / 2 == to / 2 ? std::pair<std::string, double>("NV12", 300)
                                  : std::pair<std::string, double>("SYS", 31.5);
    });
}

inline PageInput inputFor(int ranks, const char *machine = "h100-8", int mostRanks = 8)
{
    const Experiment experiment = experimentOf({{"ranks", std::to_string(ranks)}});
    const auto refusal = [=](const Experiment &e) {
        return e.ranks() <= mostRanks ? QString() : QStringLiteral("too many");
    };
    return inputOf(experiment, {nullptr, nullptr, refusal, *findHardware(machine)});
}

inline EngineMachine engineOf(const Topology &topology)
{
    EngineMachine engine;
    engine.state = EngineMachine::State::Told;
    int cores = 0;
    for (const NumaNode &node : topology.nodes)
        cores += node.cores;
    engine.title = QStringLiteral("%1 cores, AMD EPYC 7763").arg(cores);
    engine.engineVersion = QStringLiteral("0.1.0");
    engine.topology = topology;
    return engine;
}

/// A minute in which ranks ran twice, and something else beside them at the end.
inline EngineMachine computing(const Topology &topology, bool now = true)
{
    EngineMachine engine = engineOf(topology);
    for (int second = 0; second < 60; ++second) {
        if (second >= 20 && second < 28)
            continue;
        LoadEvent load;
        load.ranksPercent = 55 + 20 * std::sin(second / 5.0);
        load.cpuPercent = load.ranksPercent + (second > 50 ? 22 : 3);
        load.freeBytes = std::max<std::int64_t>(1, memoryIn(topology)) / 16 * (9 + second % 4);
        for (int gpu = 0; gpu < static_cast<int>(topology.gpus.size()); ++gpu) {
            const std::int64_t memory = topology.gpus[static_cast<std::size_t>(gpu)].memoryBytes;
            load.gpus.push_back(
                {90 - 5 * gpu + static_cast<int>(4 * std::sin(second / 3.0 + gpu)), memory / 10 * (3 + gpu % 5)});
        }
        addLoad(engine.loads, {100.0 + second, load});
    }
    engine.computing = now;
    return engine;
}

inline std::shared_ptr<Run> runOf(const PageInput &input, const std::optional<Topology> &topology, bool onGpus)
{
    auto run = std::make_shared<Run>(*measuredRun(input.experiment));
    run->topology = topology;
    run->machine.host = onGpus ? "2 x AMD EPYC 9654" : "4 cores, AMD EPYC 7763";
    run->machine.backend = onGpus ? "nccl" : "gloo";
    for (int rank = 0; rank < input.experiment.ranks(); ++rank)
        run->machine.devices.push_back("rank " + std::to_string(rank) + ": " +
                                       (onGpus ? "GPU " + std::to_string(rank) + ", NVIDIA H100" : "1 CPU thread"));
    return run;
}

} // namespace shardscope
