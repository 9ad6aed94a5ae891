// SPDX-License-Identifier: MIT
#include "engine/supervise/cpu_facts.h"

#include "engine/supervise/kernel_file.h"
#include "engine/supervise/tabbed_fields.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <unistd.h>

namespace shardscope {
namespace {

constexpr const char *kNodes = "/sys/devices/system/node";

/// "Node 0 MemTotal:       16311204 kB", of a node or of the whole machine.
std::int64_t totalMemory(const std::string &meminfo)
{
    const std::int64_t kib = leadingNumber(valueOf(meminfo, "MemTotal:"));
    return kib > 0 ? kib * 1024 : -1;
}

} // namespace

int coresInList(std::string_view list)
{
    int cores = 0;
    while (!list.empty()) {
        const std::string_view range = list.substr(0, list.find(','));
        const std::size_t dash = range.find('-');
        const int first = numberOf(range, -1);
        const int last = dash == std::string_view::npos ? first : numberOf(range.substr(dash + 1), -1);
        if (first >= 0 && last >= first)
            cores += last - first + 1;
        list.remove_prefix(std::min(range.size() + 1, list.size()));
    }
    return cores;
}

std::vector<NumaNode> readNumaNodes()
{
    std::vector<NumaNode> nodes;
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(kNodes, ignored)) {
        const std::string name = entry.path().filename();
        const int number = name.starts_with("node") ? numberOf(std::string_view(name).substr(4), -1) : -1;
        const int cores = number < 0 ? 0 : coresInList(kernelFile(entry.path() / "cpulist"));
        if (cores > 0)
            nodes.push_back({number, cores, totalMemory(kernelFile(entry.path() / "meminfo"))});
    }
    std::ranges::sort(nodes, {}, &NumaNode::number);
    if (nodes.empty())
        nodes.push_back({0, int(::sysconf(_SC_NPROCESSORS_ONLN)), totalMemory(kernelFile("/proc/meminfo"))});
    return nodes;
}

std::optional<CpuTicks> parseCpuTicks(std::string_view stat)
{
    std::istringstream line{std::string(stat.substr(0, stat.find('\n')))};
    std::string word;
    std::int64_t user = 0;
    std::int64_t nice = 0;
    std::int64_t system = 0;
    std::int64_t idle = 0;
    if (!(line >> word >> user >> nice >> system >> idle) || word != "cpu")
        return std::nullopt;
    std::int64_t waiting = 0;
    std::int64_t interrupts = 0;
    std::int64_t softInterrupts = 0;
    std::int64_t stolen = 0; // by other guests of the hypervisor: not ours to use, so not counted at all
    line >> waiting >> interrupts >> softInterrupts >> stolen;
    const std::int64_t busy = user + nice + system + interrupts + softInterrupts;
    return CpuTicks{busy + idle + waiting, busy};
}

} // namespace shardscope
