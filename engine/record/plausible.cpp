// SPDX-License-Identifier: MIT
#include "engine/record/plausible.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace shardscope {
namespace {

// Generous: no machine that anybody has comes near.
constexpr std::size_t kMostNodes = 256;
constexpr std::size_t kMostGpus = 256;
constexpr std::size_t kLongestName = 80;
constexpr int kMostCores = 1 << 16;
constexpr int kMostNodeNumber = 1 << 16;
constexpr std::int64_t kMostMemoryBytes = std::int64_t{1} << 56;
constexpr double kMostGBps = 1e5;
constexpr int kUnknown = -1;

template <typename Number>
void unlessWithin(Number &value, Number least, Number most, Number otherwise)
{
    if (value < least || value > most)
        value = otherwise;
}

/// U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069: they turn the text around them.
bool turnsText(std::string_view three)
{
    if (three.size() < 3 || three[0] != '\xE2')
        return false;
    const auto second = static_cast<unsigned char>(three[1]);
    const auto third = static_cast<unsigned char>(three[2]);
    return (second == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE))) ||
           (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

std::string plainName(const std::string &name)
{
    std::string plain;
    for (std::size_t i = 0; i < name.size() && plain.size() < kLongestName; ++i) {
        if (turnsText(std::string_view(name).substr(i, 3)))
            i += 2;
        else if (static_cast<unsigned char>(name[i]) >= 0x20 && name[i] != '\x7F')
            plain += name[i];
    }
    // No half of a character at the end.
    std::size_t end = plain.size();
    while (end > 0 && (static_cast<unsigned char>(plain[end - 1]) & 0xC0U) == 0x80U)
        --end;
    if (name.size() > plain.size() && end > 0 && (static_cast<unsigned char>(plain[end - 1]) & 0x80U) != 0)
        plain.resize(end - 1);
    return plain;
}

GpuState plausible(GpuState gpu)
{
    gpu.name = plainName(gpu.name);
    gpu.busId = plainName(gpu.busId);
    unlessWithin<std::int64_t>(gpu.memoryBytes, 0, kMostMemoryBytes, kUnknown);
    unlessWithin<std::int64_t>(gpu.freeBytes, 0, gpu.memoryBytes, kUnknown);
    unlessWithin(gpu.busyPercent, 0, 100, kUnknown);
    unlessWithin(gpu.numaNode, 0, kMostNodeNumber, kUnknown);
    unlessWithin(gpu.pcieGeneration, 1, 16, kUnknown);
    unlessWithin(gpu.pcieLanes, 1, 64, kUnknown);
    unlessWithin(gpu.nvlinks, 0, 64, 0);
    unlessWithin(gpu.nvlinkVersion, 0, 16, 0);
    return gpu;
}

} // namespace

Topology plausible(Topology topology, int &leftOut)
{
    Topology kept;
    std::set<int> numbers;
    for (NumaNode &node : topology.nodes) {
        unlessWithin<std::int64_t>(node.memoryBytes, 0, kMostMemoryBytes, kUnknown);
        const bool possible = node.number >= 0 && node.number <= kMostNodeNumber && node.cores > 0 &&
                              node.cores <= kMostCores && kept.nodes.size() < kMostNodes;
        if (possible && numbers.insert(node.number).second)
            kept.nodes.push_back(node);
        else
            ++leftOut;
    }
    std::ranges::sort(kept.nodes, {}, &NumaNode::number);
    for (const GpuState &gpu : topology.gpus) {
        if (kept.gpus.size() < kMostGpus)
            kept.gpus.push_back(plausible(gpu));
        else
            ++leftOut;
    }
    std::set<std::pair<int, int>> pairs;
    for (GpuPath &path : topology.paths) {
        path.word = plainName(path.word);
        if (!(path.expectedGBps > 0 && path.expectedGBps <= kMostGBps))
            path.expectedGBps = kUnknown;
        const bool possible = path.from >= 0 && path.from < path.to && path.to < std::ssize(kept.gpus);
        if (possible && pairs.emplace(path.from, path.to).second)
            kept.paths.push_back(path);
        else
            ++leftOut;
    }
    return kept;
}

LoadEvent plausible(LoadEvent load)
{
    load.cpuPercent = std::isfinite(load.cpuPercent) ? std::clamp(load.cpuPercent, 0.0, 100.0) : 0;
    load.ranksPercent = std::isfinite(load.ranksPercent) ? std::clamp(load.ranksPercent, 0.0, load.cpuPercent) : 0;
    unlessWithin<std::int64_t>(load.freeBytes, 0, kMostMemoryBytes, 0);
    for (GpuLoad &gpu : load.gpus) {
        unlessWithin(gpu.busyPercent, 0, 100, kUnknown);
        unlessWithin<std::int64_t>(gpu.freeBytes, 0, kMostMemoryBytes, kUnknown);
    }
    return load;
}

} // namespace shardscope
