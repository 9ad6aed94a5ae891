// SPDX-License-Identifier: MIT
#include "engine/supervise/gpu_ranks.h"

#include "engine/record/format.h"
#include "engine/supervise/gpu_topology.h"
#include "engine/supervise/host_choice.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace shardscope {

Backend resolvedBackend(Backend asked, const std::vector<GpuFacts> &gpus)
{
    if (asked != Backend::Auto)
        return asked;
    return gpus.empty() ? Backend::Cpu : Backend::Cuda;
}

std::optional<Text> refuseBackend(Backend backend)
{
    const auto &problem = backend == Backend::Cuda ? gpuProblem() : std::nullopt;
    if (!problem)
        return std::nullopt;
    return Text{TextId::CudaRefused, {english(problem->text), english(problem->remedy)}};
}

std::optional<Text> refuseBackend(Backend backend, const std::vector<GpuFacts> &gpus)
{
    if (backend != Backend::Cuda || !gpus.empty())
        return std::nullopt;
    if (auto reason = refuseBackend(backend))
        return reason;
    return Text{TextId::BackendMissing, {std::string(name(backend)), std::string(name(Backend::Cpu))}};
}

namespace {

/// CUDA writes "0000:1b:00.0", NVML "00000000:1B:00.0".
std::string shortBusId(const std::string &busId)
{
    std::string id = busId.size() > 12 ? busId.substr(busId.size() - 12) : busId;
    std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return id;
}

} // namespace

std::vector<GpuFacts> withFreeMemory(std::vector<GpuFacts> gpus)
{
    for (const GpuState &state : readGpuTopology().gpus)
        for (GpuFacts &gpu : gpus)
            if (state.freeBytes >= 0 && shortBusId(state.busId) == shortBusId(gpu.busId))
                gpu.memoryBytes = state.freeBytes;
    return gpus;
}

std::optional<Text> refuseForGpuMemory(std::int64_t bytesPerRank, int ranksHere, const std::vector<GpuFacts> &gpus)
{
    const auto count = std::max<std::int64_t>(1, std::int64_t(gpus.size()));
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const std::int64_t ranks = (ranksHere - std::int64_t(i) + count - 1) / count;
        const double needed = double(bytesPerRank) * double(ranks);
        if (ranks > 0 && needed > 0.8 * double(gpus[i].memoryBytes))
            return Text{TextId::GpuMemoryRefused,
                        {std::to_string(ranks), formatBinaryBytes(std::int64_t(std::min(needed, 9e18))),
                         formatBinaryBytes(gpus[i].memoryBytes)}};
    }
    return std::nullopt;
}

std::string gpuOfRank(int rank, int localRank, const std::vector<GpuFacts> &gpus)
{
    const std::size_t place = std::size_t(localRank) % gpus.size();
    return "rank " + std::to_string(rank) + ": GPU " + std::to_string(place) + ", " + gpus[place].name;
}

std::optional<Text> ranksOnGpus(int ranksHere, int gpus)
{
    if (ranksHere <= gpus)
        return std::nullopt;
    if (gpus == 1)
        return Text{TextId::RanksShareOneGpu, {}};
    return Text{TextId::RanksShareGpus, {std::to_string(ranksHere), std::to_string(gpus)}};
}

std::optional<Text> startedRanksOnGpus(const Machine &machine)
{
    std::vector<Host> hosts = machine.hosts;
    if (hosts.empty()) {
        hosts.emplace_back();
        for (std::size_t rank = 0; rank < machine.devices.size(); ++rank)
            hosts.back().ranks.push_back(int(rank));
    }
    std::optional<Text> note;
    std::size_t most = 0;
    for (const Host &host : hosts) {
        std::set<std::string> gpus;
        for (const int rank : host.ranks) {
            const std::string &device = machine.devices[std::size_t(rank)]; // "rank 3: GPU 1, NVIDIA H200"
            gpus.insert(device.substr(std::min(device.find(": "), device.size())));
        }
        const std::size_t sharing = host.ranks.size() - gpus.size();
        if (sharing > most)
            note = ranksOnGpus(int(host.ranks.size()), int(gpus.size()));
        most = std::max(most, sharing);
    }
    return note;
}

Machine machineOfGpuRanks(const Machine &machine, int ranks, const std::vector<GpuFacts> &gpus)
{
    Machine result = machine;
    result.backend = "nccl";
    result.devices.clear();
    for (int rank = 0; rank < ranks; ++rank)
        result.devices.push_back(gpuOfRank(rank, rank, gpus));
    if (const auto note = ranksOnGpus(ranks, int(gpus.size())))
        result.notes.insert(result.notes.begin(), english(*note));
    return result;
}

std::optional<Text> whyNoGpu()
{
    if (!cudaRankHostExists() || !gpuProblem())
        return std::nullopt;
    return Text{TextId::RunsOnCpuInstead, {english(gpuProblem()->text)}};
}

} // namespace shardscope
