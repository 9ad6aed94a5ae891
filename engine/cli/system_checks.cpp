// SPDX-License-Identifier: MIT
#include "engine/cli/system_checks.h"

#include "engine/cli/units.h"
#include "engine/supervise/file_descriptor.h"
#include "engine/supervise/host_environment.h"
#include "engine/supervise/machine_facts.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace shardscope::cli {
namespace {

using State = Finding::State;

constexpr std::int64_t kMiB = 1024 * 1024;

std::string lastError()
{
    return std::strerror(errno); // NOLINT: one thread
}

Finding cores()
{
    const int allowed = allowedCores();
    const long there = sysconf(_SC_NPROCESSORS_ONLN);
    Finding finding{State::Good, "cores", machineTitle(), "", ""};
    if (allowed < there) {
        finding.state = State::Note;
        finding.cause =
            std::to_string(there) + " are there; affinity or the container allows " + std::to_string(allowed);
        finding.remedy = "start with more cores (taskset, docker --cpus) for more ranks side by side";
    } else if (allowed == 1) {
        finding.state = State::Note;
        finding.cause = "several ranks take turns on one core";
        finding.remedy = "counts, bytes and checks stay right; do not compare times";
    }
    return finding;
}

Finding memory()
{
    const std::int64_t bytes = availableMemoryBytes();
    if (bytes == 0)
        return {State::Problem, "memory", "unknown", "/proc/meminfo cannot be read", "mount /proc"};
    Finding finding{State::Good, "memory", bytesText(bytes) + " available", "", ""};
    if (bytes < 1024 * kMiB) {
        finding.state = State::Problem;
        finding.cause = "ranks with LibTorch need about 200 MiB each";
        finding.remedy = "end other programs, or choose few ranks and small sizes";
    }
    return finding;
}

/// Rendezvous files and OpenMP's registration live there.
Finding space(const std::string &area, const std::string &path, const std::string &remedy)
{
    struct statvfs status {
    };
    if (statvfs(path.c_str(), &status) != 0)
        return {State::Problem, area, path, lastError(), remedy};
    const auto free = static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
    if (access(path.c_str(), W_OK) != 0)
        return {State::Problem, area, path, "not writable", remedy};
    if (free < 16 * kMiB)
        return {State::Problem, area, path + ", " + bytesText(free) + " free", "nearly full", remedy};
    return {State::Good, area, path + ", " + bytesText(free) + " free", "", ""};
}

/// Ranks talk over TCP on 127.0.0.1: listen on a port that the system chooses, and connect to it.
Finding loopback()
{
    const std::string remedy = "bring the loopback up (ip link set lo up), and let no firewall close it";
    const FileDescriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const FileDescriptor client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    const bool works = bind(server.get(), generic, length) == 0 && listen(server.get(), 1) == 0 &&
                       getsockname(server.get(), generic, &length) == 0 && connect(client.get(), generic, length) == 0;
    if (!works)
        return {State::Problem, "loopback", "127.0.0.1", lastError(), remedy};
    return {State::Good, "loopback", "127.0.0.1 listens and answers", "", ""};
}

Finding ports()
{
    std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
    int first = 0;
    int last = 0;
    if (!(file >> first >> last))
        return {State::Note, "ports", "range unknown", "/proc/sys/net is not readable", "nothing to do if runs work"};
    Finding finding{State::Good, "ports", std::to_string(first) + " to " + std::to_string(last), "", ""};
    if (last - first < 5000) {
        finding.state = State::Problem;
        finding.cause = "64 ranks open 4032 connections";
        finding.remedy = "widen net.ipv4.ip_local_port_range (sysctl)";
    }
    return finding;
}

std::string limitText(rlim_t limit)
{
    return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit);
}

Finding limit(const std::string &area, decltype(RLIMIT_NOFILE) resource, rlim_t wanted, const std::string &why,
              const std::string &remedy)
{
    rlimit value{};
    getrlimit(resource, &value);
    Finding finding{State::Good, area, limitText(value.rlim_cur), "", ""};
    if (value.rlim_cur != RLIM_INFINITY && value.rlim_cur < wanted) {
        finding.state = State::Problem;
        finding.cause = why;
        finding.remedy = remedy;
    }
    return finding;
}

Finding blas()
{
    const std::string core = detectedBlasCore();
    if (core.empty())
        return {State::Note, "BLAS core", "no OpenBLAS with several cores found",
                "another BLAS is used; the reference BLAS is 30 times slower", "install libopenblas0-pthread"};
    const char *set = std::getenv("OPENBLAS_CORETYPE"); // NOLINT: one thread
    if (set != nullptr)
        return {State::Good, "BLAS core", std::string(set) + ", set by OPENBLAS_CORETYPE", "", ""};
    const auto better = betterBlasCore(cpuFlags(), core);
    if (better)
        return {State::Good, "BLAS core", *better + " (OpenBLAS alone would take " + core + ")", "", ""};
    return {State::Good, "BLAS core", core, "", ""};
}

} // namespace

std::vector<Finding> systemFindings()
{
    std::error_code ignored;
    const std::string temporary = std::filesystem::temp_directory_path(ignored).string();
    return {cores(),
            memory(),
            blas(),
            space("shared memory", "/dev/shm", "mount a tmpfs there (docker: --shm-size=1g)"),
            space("temporary files", temporary.empty() ? "/tmp" : temporary, "make room, or set TMPDIR"),
            loopback(),
            ports(),
            limit("open files", RLIMIT_NOFILE, 512, "each rank holds a connection to every other", "ulimit -n 4096"),
            limit("processes", RLIMIT_NPROC, 512, "ranks and their threads count", "ulimit -u 4096"),
            limit("address space", RLIMIT_AS, rlim_t{8} << 30, "LibTorch maps several GB of libraries",
                  "ulimit -v unlimited")};
}

} // namespace shardscope::cli
