// SPDX-License-Identifier: MIT
#include "engine/supervise/machine_watch.h"

#include "engine/supervise/child_process.h"
#include "engine/supervise/gpu_topology.h"
#include "engine/supervise/kernel_file.h"
#include "engine/supervise/machine_facts.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace shardscope {
namespace {

double percentOf(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? std::clamp(100.0 * double(part) / double(whole), 0.0, 100.0) : 0;
}

} // namespace

MachineWatch::MachineWatch(const std::vector<int> &closeInChild)
{
    auto told = makePipe();
    auto asked = makePipe();
    const pid_t parent = ::getpid();
    m_child = told && asked ? ::fork() : -1;
    if (m_child == 0) {
        told->read.reset();
        asked->write.reset();
        leaveParent(parent, "shardscope-gpus", closeInChild);
        watchGpus(told->write.get(), asked->read.get());
        ::_exit(0);
    }
    if (m_child < 0) {
        settle();
        return;
    }
    m_told = std::move(told->read);
    m_asked = std::move(asked->write);
}

MachineWatch::~MachineWatch()
{
    if (m_child <= 0)
        return;
    ::kill(m_child, SIGKILL);
    while (::waitpid(m_child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

bool MachineWatch::takeEnd(pid_t child)
{
    if (child != m_child)
        return false;
    m_child = -1;
    return true;
}

void MachineWatch::read()
{
    const ReadResult result = readSome(m_told.get(), m_text);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = m_text.find('\n', begin)) != std::string::npos; begin = end + 1)
        takeLine(m_text.substr(begin, end - begin));
    m_text.erase(0, begin);
    if (result != ReadResult::End)
        return;
    m_told.reset();
    m_asked.reset();
    m_gpus.clear();
    settle();
}

void MachineWatch::takeLine(const std::string &line)
{
    if (line == kGpusTold)
        settle();
    else if (line.starts_with(kLoadTold))
        m_gpus = parseGpuLoads(line);
    else if (!m_topology)
        m_report += line + '\n';
}

void MachineWatch::settle()
{
    if (m_topology)
        return;
    GpuTopology gpus = parseGpuTopology(m_report);
    m_topology = Topology{readNumaNodes(), std::move(gpus.gpus), std::move(gpus.paths)};
}

void MachineWatch::begin(Clock::time_point now, std::int64_t ranksTicks)
{
    m_since = now;
    m_ranks = ranksTicks;
    m_cpu = parseCpuTicks(kernelFile("/proc/stat")).value_or(CpuTicks{});
    writeAll(m_asked.get(), kAskForLoads);
}

void MachineWatch::rest()
{
    if (std::exchange(m_since, std::nullopt))
        writeAll(m_asked.get(), kAskForQuiet);
    m_gpus.clear();
}

LoadEvent MachineWatch::take(Clock::time_point now, std::int64_t ranksTicks)
{
    const CpuTicks cpu = parseCpuTicks(kernelFile("/proc/stat")).value_or(m_cpu);
    LoadEvent load;
    load.cpuPercent = percentOf(cpu.busy - m_cpu.busy, cpu.all - m_cpu.all);
    // Both are counted by the same ticks but not at the same moment.
    load.ranksPercent = std::min(percentOf(ranksTicks - m_ranks, cpu.all - m_cpu.all), load.cpuPercent);
    load.freeBytes = availableMemoryBytes();
    load.gpus = m_gpus;
    m_since = now;
    m_cpu = cpu;
    m_ranks = ranksTicks;
    return load;
}

} // namespace shardscope
