// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/gpu_paths.h"

#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

int linksOfWord(const std::string &word)
{
    return word.starts_with("NV") ? QString::fromStdString(word.substr(2)).toInt() : 0;
}

} // namespace

int linksOf(const GpuPath &path)
{
    return linksOfWord(path.word);
}

const GpuPath *pathBetween(const Topology &topology, int a, int b)
{
    const auto found = std::ranges::find_if(
        topology.paths, [&](const GpuPath &path) { return path.from == std::min(a, b) && path.to == std::max(a, b); });
    return found == topology.paths.end() ? nullptr : &*found;
}

GpuFabric fabricOf(const Topology &topology)
{
    if (topology.gpus.size() < 2)
        return GpuFabric::None;
    std::vector<int> links(topology.gpus.size(), 0);
    bool all = true;
    bool any = false;
    for (const GpuPath &path : topology.paths) {
        const int count = linksOf(path);
        all = all && count > 0;
        any = any || count > 0;
        for (const int end : {path.from, path.to}) {
            if (end >= 0 && end < static_cast<int>(links.size()))
                links[static_cast<std::size_t>(end)] += count;
        }
    }
    if (!any)
        return GpuFabric::Pcie;
    for (std::size_t gpu = 0; gpu < links.size() && all; ++gpu) {
        if (topology.gpus[gpu].nvlinks > 0 && links[gpu] > topology.gpus[gpu].nvlinks)
            return GpuFabric::Switch;
    }
    return GpuFabric::Links;
}

std::vector<PathKind> pathKinds(const Topology &topology)
{
    std::vector<PathKind> kinds;
    for (const GpuPath &path : topology.paths) {
        const auto same = std::ranges::find_if(kinds, [&](const PathKind &kind) {
            return kind.word == path.word && kind.expectedGBps == path.expectedGBps;
        });
        if (same != kinds.end())
            ++same->pairs;
        else
            kinds.push_back({path.word, path.expectedGBps, 1, path.from, path.to});
    }
    std::ranges::stable_sort(kinds, std::greater{}, &PathKind::expectedGBps);
    return kinds;
}

QString pathMeaning(const std::string &word)
{
    if (const int links = linksOfWord(word); links > 0)
        return counted(links, tr("%1 NVLink|%1 NVLinks"));
    if (word == "PIX")
        return tr("through one PCIe switch");
    if (word == "PXB")
        return tr("through several PCIe switches");
    if (word == "PHB")
        return tr("through a PCIe host bridge: the processor");
    if (word == "NODE")
        return tr("between PCIe host bridges of one NUMA node");
    if (word == "SYS")
        return tr("from one NUMA node to another, over the processors' own link");
    return tr("not known");
}

} // namespace shardscope
