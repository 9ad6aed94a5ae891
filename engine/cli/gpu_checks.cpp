// SPDX-License-Identifier: MIT
#include "engine/cli/gpu_checks.h"

#include "engine/cli/units.h"
#include "engine/record/format.h"
#include "engine/supervise/gpu_topology.h"
#include "engine/supervise/host_choice.h"

namespace shardscope::cli {
namespace {

using State = Finding::State;

/// A machine without GPUs is a good machine: ranks then run on the CPU.
Finding driver(const GpuProbe &probe)
{
    if (probe.problem)
        return {State::Note, "GPU driver", "no GPU is used", english(probe.problem->text),
                english(probe.problem->remedy)};
    return {State::Good, "GPU driver", "knows CUDA up to " + cudaVersionText(probe.driverCuda), "", ""};
}

Finding gpu(std::size_t number, const GpuFacts &facts)
{
    return {State::Good, "GPU " + std::to_string(number),
            facts.name + ", " + bytesText(facts.memoryBytes) + ", compute capability " +
                std::to_string(facts.computeMajor) + '.' + std::to_string(facts.computeMinor) + ", PCI " + facts.busId,
            "", ""};
}

/// What the management library adds: load, memory that is free, slot, NUMA node, links.
Finding state(std::size_t number, const GpuState &gpu)
{
    std::string found = bytesText(gpu.freeBytes) + " free";
    if (gpu.busyPercent >= 0)
        found += ", " + std::to_string(gpu.busyPercent) + " % busy";
    if (gpu.pcieLanes > 0)
        found += ", PCIe " + std::to_string(gpu.pcieGeneration) + " x" + std::to_string(gpu.pcieLanes);
    if (gpu.nvlinks > 0)
        found += ", " + std::to_string(gpu.nvlinks) + " NVLinks";
    if (gpu.numaNode >= 0)
        found += ", NUMA node " + std::to_string(gpu.numaNode);
    Finding finding{State::Good, "GPU " + std::to_string(number) + " now", found, "", ""};
    if (gpu.busyPercent > 5) {
        finding.state = State::Note;
        finding.cause = "something else computes on it, and times will show it";
        finding.remedy = "wait until nvidia-smi lists no other process, or hide the GPU by CUDA_VISIBLE_DEVICES";
    }
    return finding;
}

Finding path(const GpuPath &path)
{
    std::string found = path.word;
    if (path.expectedGBps > 0)
        found += ", " + formatRate(path.expectedGBps) + " each way by specification";
    return {State::Good, "GPU " + std::to_string(path.from) + " - GPU " + std::to_string(path.to), found, "", ""};
}

Finding without(State state, std::string found, const GpuProblem &problem)
{
    return {state, "GPU rank host", std::move(found), english(problem.text), english(problem.remedy)};
}

Finding rankHost()
{
    if (!cudaRankHostExists())
        return without(State::Note, "not in this build", cudaRankHostMissing());
    const std::vector<std::string> missing = missingLibraries(findCudaRankHost());
    if (!missing.empty())
        return without(State::Problem, std::to_string(missing.size()) + " libraries are missing",
                       cudaRankHostBroken(missing));
    return {State::Good, "GPU rank host", findCudaRankHost(), "", ""};
}

} // namespace

std::vector<Finding> gpuFindings()
{
    const GpuProbe &probe = rememberedProbe();
    std::vector<Finding> findings{driver(probe)};
    for (std::size_t i = 0; i < probe.gpus.size(); ++i)
        findings.push_back(gpu(i, probe.gpus[i]));
    const GpuTopology topology = readGpuTopology();
    for (std::size_t i = 0; i < topology.gpus.size(); ++i)
        findings.push_back(state(i, topology.gpus[i]));
    for (const GpuPath &each : topology.paths)
        findings.push_back(path(each));
    findings.push_back(rankHost());
    return findings;
}

} // namespace shardscope::cli
