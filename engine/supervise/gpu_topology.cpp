// SPDX-License-Identifier: MIT
#include "engine/supervise/gpu_topology.h"

#include "engine/supervise/tabbed_fields.h"

#include <algorithm>
#include <sstream>

namespace shardscope {

namespace {

constexpr int kUnknown = -1;

/// nvmlGpuTopologyLevel_t
std::string wordOf(int level)
{
    switch (level) {
    case 10:
        return "PIX";
    case 20:
        return "PXB";
    case 30:
        return "PHB";
    case 40:
        return "NODE";
    case 50:
        return "SYS";
    default:
        return "?";
    }
}

double pcieGBps(const GpuState &gpu)
{
    return gpu.pcieLanes > 0 ? pcieLaneGBps(gpu.pcieGeneration) * gpu.pcieLanes : 0;
}

GpuPath pathOf(const std::vector<GpuState> &gpus, int from, int to, int level, int links)
{
    GpuPath path{from, to, wordOf(level), -1};
    const GpuState &a = gpus[std::size_t(from)];
    const GpuState &b = gpus[std::size_t(to)];
    double expected = 0;
    if (links > 0) {
        path.word = "NV" + std::to_string(links);
        expected = links * nvlinkGBps(std::min(a.nvlinkVersion, b.nvlinkVersion));
    } else {
        expected = std::min(pcieGBps(a), pcieGBps(b));
    }
    if (expected > 0)
        path.expectedGBps = expected;
    return path;
}

} // namespace

double pcieLaneGBps(int generation)
{
    switch (generation) {
    case 1:
        return 0.25;
    case 2:
        return 0.5;
    case 3:
        return 8.0 * 128 / 130 / 8;
    case 4:
        return 16.0 * 128 / 130 / 8;
    case 5:
        return 32.0 * 128 / 130 / 8;
    case 6:
        return 64.0 * 242 / 256 / 8;
    default:
        return 0;
    }
}

double nvlinkGBps(int version)
{
    switch (version) {
    case 1:
        return 20;
    case 2:
    case 3:
    case 4:
        return 25;
    case 5:
        return 50;
    default:
        return 0;
    }
}

GpuTopology parseGpuTopology(std::string_view report)
{
    GpuTopology topology;
    std::istringstream lines{std::string(report)};
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = std::min(line.find(' ') + 1, line.size());
        const auto fields = tabbedFields(std::string_view(line).substr(space));
        if (line.starts_with("gpu ") && fields.size() >= 10) {
            GpuState gpu;
            gpu.busId = fields[0];
            gpu.name = fields[1];
            gpu.memoryBytes = numberOf<std::int64_t>(fields[2], kUnknown);
            gpu.freeBytes = numberOf<std::int64_t>(fields[3], kUnknown);
            gpu.busyPercent = numberOf(fields[4], kUnknown);
            gpu.numaNode = numberOf(fields[5], kUnknown);
            gpu.pcieGeneration = numberOf(fields[6], kUnknown);
            gpu.pcieLanes = numberOf(fields[7], kUnknown);
            gpu.nvlinks = numberOf(fields[8], kUnknown);
            gpu.nvlinkVersion = numberOf(fields[9], kUnknown);
            topology.gpus.push_back(std::move(gpu));
        } else if (line.starts_with("path ") && fields.size() >= 4) {
            const int from = numberOf(fields[0], kUnknown);
            const int to = numberOf(fields[1], kUnknown);
            if (from >= 0 && to >= 0 && std::size_t(std::max(from, to)) < topology.gpus.size())
                topology.paths.push_back(
                    pathOf(topology.gpus, from, to, numberOf(fields[2], kUnknown), numberOf(fields[3], kUnknown)));
        }
    }
    return topology;
}

std::vector<GpuLoad> parseGpuLoads(std::string_view line)
{
    const auto fields = tabbedFields(line);
    std::vector<GpuLoad> loads;
    for (std::size_t i = 1; i + 1 < fields.size(); i += 2)
        loads.push_back({numberOf(fields[i], kUnknown), numberOf<std::int64_t>(fields[i + 1], kUnknown)});
    return loads;
}

} // namespace shardscope
