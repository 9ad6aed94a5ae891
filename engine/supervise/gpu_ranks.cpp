// SPDX-License-Identifier: MIT
#include "engine/supervise/gpu_ranks.h"

#include "engine/record/format.h"
#include "engine/record/hosts.h"
#include "engine/supervise/gpu_topology.h"
#include "engine/supervise/host_choice.h"

#include <algorithm>
#include <cctype>

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
    const auto shared = sharedGpus(machine);
    return shared ? ranksOnGpus(shared->ranks, shared->gpus) : std::nullopt;
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
