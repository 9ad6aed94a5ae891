// SPDX-License-Identifier: MIT
#include "engine/supervise/host_choice.h"

#include "engine/supervise/child_report.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace shardscope {

namespace {

constexpr std::chrono::seconds kLoaderLimit{20};

std::string beside(const char *variable, const char *name)
{
    if (const char *given = std::getenv(variable); given && *given)
        return given;
    std::error_code ignored;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    return self.parent_path() / name;
}

std::optional<GpuProblem> findProblem()
{
    if (!cudaRankHostExists())
        return cudaRankHostMissing();
    if (rememberedProbe().problem)
        return rememberedProbe().problem;
    if (const auto missing = missingLibraries(findCudaRankHost()); !missing.empty())
        return cudaRankHostBroken(missing);
    return std::nullopt;
}

} // namespace

std::string findRankHost()
{
    return beside("SHARDSCOPE_RANK_HOST", "shardscope-rank-host");
}

std::string findCudaRankHost()
{
    return beside("SHARDSCOPE_RANK_HOST_CUDA", "shardscope-rank-host-cuda");
}

bool cudaRankHostExists()
{
    return ::access(findCudaRankHost().c_str(), X_OK) == 0;
}

GpuProblem cudaRankHostMissing()
{
    return {{TextId::CudaHostMissing, {findCudaRankHost()}}, {TextId::CudaHostMissingRemedy, {}}};
}

GpuProblem cudaRankHostBroken(const std::vector<std::string> &missingLibraries)
{
    std::string names;
    for (const std::string &name : missingLibraries)
        addToList(names, name);
    return {{TextId::CudaHostBroken, {findCudaRankHost(), names + " not found"}}, {TextId::CudaHostBrokenRemedy, {}}};
}

const GpuProbe &rememberedProbe()
{
    static const GpuProbe probe = probeGpus();
    return probe;
}

bool runsOnGpus(Backend backend)
{
    return backend != Backend::Cpu && !gpuProblem();
}

const std::optional<GpuProblem> &gpuProblem()
{
    static const std::optional<GpuProblem> problem = findProblem();
    return problem;
}

std::vector<std::string> missingLibraries(const std::string &program)
{
    // The loader lists what it maps instead of starting the program (ld.so(8)).
    const std::string list = childReport(
        [&program](int fd) {
            ::dup2(fd, STDOUT_FILENO);
            ::dup2(fd, STDERR_FILENO);
            ::setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
            ::execl(program.c_str(), program.c_str(), nullptr);
        },
        kLoaderLimit);
    std::vector<std::string> missing;
    std::istringstream lines(list);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t arrow = line.find(" => not found");
        if (arrow == std::string::npos)
            continue;
        const std::size_t begin = std::min(line.find_first_not_of(" \t"), arrow);
        missing.push_back(line.substr(begin, arrow - begin));
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    return missing;
}

std::string hostFor(Backend backend)
{
    return runsOnGpus(backend) ? findCudaRankHost() : findRankHost();
}

} // namespace shardscope
