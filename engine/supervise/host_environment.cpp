// SPDX-License-Identifier: MIT
#include "engine/supervise/host_environment.h"

#include "engine/supervise/child_report.h"
#include "engine/supervise/file_descriptor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>

namespace shardscope {
namespace {

constexpr std::chrono::milliseconds kBlasLimit{2000};

/// Vector width that a core's kernels use.
enum class Level { Unknown, Old, Avx2, Avx512 };

bool hasFlag(std::string_view flags, std::string_view flag)
{
    for (std::size_t at = flags.find(flag); at != std::string_view::npos; at = flags.find(flag, at + 1)) {
        const std::size_t end = at + flag.size();
        const bool starts = at == 0 || flags[at - 1] == ' ' || flags[at - 1] == '\t';
        const bool ends = end == flags.size() || flags[end] == ' ';
        if (starts && ends)
            return true;
    }
    return false;
}

Level levelOfFlags(std::string_view flags)
{
    constexpr std::array<std::string_view, 4> avx512{"avx512f", "avx512bw", "avx512dq", "avx512vl"};
    const auto has = [&](std::string_view flag) { return hasFlag(flags, flag); };
    if (std::all_of(avx512.begin(), avx512.end(), has))
        return Level::Avx512;
    return has("avx2") && has("fma") ? Level::Avx2 : Level::Old;
}

// The names of OpenBLAS's x86-64 cores (its file cpuid.h); one that is not here is newer than this list and left alone.
Level levelOfCore(std::string_view core)
{
    constexpr std::array<std::string_view, 3> avx512{"SkylakeX", "Cooperlake", "Sapphirerapids"};
    constexpr std::array<std::string_view, 3> avx2{"Haswell", "Zen", "Excavator"};
    constexpr std::array<std::string_view, 17> old{
        "Katmai",  "Coppermine",   "Northwood", "Prescott",  "Banias",      "Core2",
        "Penryn",  "Dunnington",   "Nehalem",   "Atom",      "Sandybridge", "Athlon",
        "Opteron", "Opteron_SSE3", "Barcelona", "Bulldozer", "Piledriver"};
    const auto isIn = [&](const auto &names) { return std::find(names.begin(), names.end(), core) != names.end(); };
    if (isIn(avx512))
        return Level::Avx512;
    if (isIn(avx2))
        return Level::Avx2;
    return isIn(old) ? Level::Old : Level::Unknown;
}

void tellBlasCore(int fd)
{
    using CoreName = char *();
    // The alternative that Debian chose for libblas is what LibTorch gets.
    void *library = ::dlopen("libblas.so.3", RTLD_NOW);
    if (auto *coreName = library ? reinterpret_cast<CoreName *>(::dlsym(library, "openblas_get_corename")) : nullptr)
        writeAll(fd, coreName());
}

void addUnlessSet(Environment &environment, const char *name, const std::string &value)
{
    if (!std::getenv(name))
        environment.emplace_back(name, value);
}

} // namespace

std::optional<std::string> betterBlasCore(std::string_view flags, std::string_view core)
{
    const Level offered = levelOfFlags(flags);
    const Level used = levelOfCore(core);
    if (used == Level::Unknown || offered <= used)
        return std::nullopt;
    return offered == Level::Avx512 ? "SkylakeX" : "Haswell";
}

std::string detectedBlasCore()
{
    return childReport(tellBlasCore, kBlasLimit);
}

std::string cpuFlags()
{
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        if (line.starts_with("flags"))
            return line.substr(std::min(line.find(':') + 1, line.size()));
    }
    return {};
}

Environment hostEnvironment()
{
    Environment environment;
    // The zygote must stay single-threaded; a rank sets its own number after the fork.
    addUnlessSet(environment, "OPENBLAS_NUM_THREADS", "1");
    addUnlessSet(environment, "OMP_NUM_THREADS", "1");
    addUnlessSet(environment, "MKL_NUM_THREADS", "1");
    // Ranks share cores: a thread that spins while it waits takes the core from the one it waits for.
    addUnlessSet(environment, "OMP_WAIT_POLICY", "passive");
    if (!std::getenv("OPENBLAS_CORETYPE")) {
        if (const auto core = betterBlasCore(cpuFlags(), detectedBlasCore()))
            environment.emplace_back("OPENBLAS_CORETYPE", *core);
    }
    return environment;
}

} // namespace shardscope
