// SPDX-License-Identifier: MIT
#include "engine/supervise/machine_facts.h"

#include "engine/record/format.h"
#include "engine/supervise/kernel_file.h"

#include <algorithm>
#include <sched.h>
#include <unistd.h>

namespace shardscope {
namespace {

int affinityCores(pid_t process = 0)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    return ::sched_getaffinity(process, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
}

/// cgroup v2, "200000 100000": two cores; "max 100000" or no file: no quota.
int quotaCores(int otherwise)
{
    const std::string quota = kernelFile("/sys/fs/cgroup/cpu.max");
    const std::size_t space = quota.find(' ');
    const std::int64_t allowed = leadingNumber(quota);
    const std::int64_t period = space == std::string::npos ? 0 : leadingNumber(std::string_view(quota).substr(space));
    return allowed > 0 && period > 0 ? static_cast<int>((allowed + period - 1) / period) : otherwise;
}

} // namespace

int allowedCores()
{
    const int cores = affinityCores();
    return std::max(1, std::min(cores, quotaCores(cores)));
}

int defaultThreads(int ranks)
{
    return std::max(1, allowedCores() / std::max(1, ranks));
}

int startedThreads(int ranksHere)
{
    // mpirun binds each rank to a core of its own, or several of them to the cores of one socket.
    const int starters = std::max(affinityCores(::getppid()), affinityCores());
    const int share = std::min(starters, quotaCores(starters)) / std::max(1, ranksHere);
    return std::clamp(share, 1, allowedCores());
}

std::string machineTitle(int cores)
{
    const std::string cpuinfo = kernelFile("/proc/cpuinfo");
    std::string_view model = valueOf(cpuinfo, "model name");
    model.remove_prefix(std::min(model.find_first_not_of("\t: "), model.size()));
    std::string title = counted(cores, "core|cores");
    if (!model.empty())
        title.append(", ").append(model);
    return title;
}

std::int64_t parseMemAvailable(std::string_view meminfo)
{
    return leadingNumber(valueOf(meminfo, "MemAvailable:")) * 1024;
}

std::optional<std::int64_t> parseContainerMemoryLeft(std::string_view max, std::string_view current,
                                                     std::string_view stat)
{
    const std::int64_t limit = leadingNumber(max); // 0 for "max"
    if (limit <= 0)
        return std::nullopt;
    const std::int64_t files =
        leadingNumber(valueOf(stat, "\nactive_file ")) + leadingNumber(valueOf(stat, "\ninactive_file "));
    return std::clamp<std::int64_t>(limit - leadingNumber(current) + files, 0, limit);
}

std::int64_t availableMemoryBytes()
{
    const std::int64_t available = parseMemAvailable(kernelFile("/proc/meminfo"));
    const auto container =
        parseContainerMemoryLeft(kernelFile("/sys/fs/cgroup/memory.max"), kernelFile("/sys/fs/cgroup/memory.current"),
                                 kernelFile("/sys/fs/cgroup/memory.stat"));
    return std::min(available, container.value_or(available));
}

std::optional<Text> refuseForMemory(std::int64_t bytesPerRank, int ranks, std::int64_t availableBytes)
{
    // In double: the estimate of a giant times its ranks may be beyond 64 bits.
    const double needed = static_cast<double>(bytesPerRank) * ranks;
    if (availableBytes <= 0 || needed <= 0.8 * static_cast<double>(availableBytes))
        return std::nullopt;
    const auto shown = static_cast<std::int64_t>(std::min(needed, 9e18));
    return Text{TextId::MemoryRefused,
                {std::to_string(ranks), formatBinaryBytes(shown), formatBinaryBytes(availableBytes)}};
}

std::optional<Text> refuseForThreads(int threads, int cores)
{
    if (threads <= cores)
        return std::nullopt;
    return Text{TextId::ThreadsTooMany, {std::to_string(threads), std::to_string(cores)}};
}

Text ranksOnCores(int ranks, int cores)
{
    if (ranks == 1)
        return Text{TextId::OneRankOnCores, {std::to_string(cores)}};
    const TextId id = ranks > cores ? TextId::RanksShareCores : TextId::RanksOnCores;
    return Text{id, {std::to_string(ranks), std::to_string(cores)}};
}

} // namespace shardscope
