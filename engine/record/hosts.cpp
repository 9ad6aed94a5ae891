// SPDX-License-Identifier: MIT
#include "engine/record/hosts.h"

#include "engine/record/format.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace shardscope {
namespace {

constexpr std::size_t kMostNamed = 4;

/// Several, and each rank on exactly one of them: anything else is a damaged record, and says nothing.
bool areWhole(const std::vector<Host> &hosts, int ranks)
{
    std::vector<int> on(static_cast<std::size_t>(ranks), 0);
    for (const Host &host : hosts) {
        for (const int rank : host.ranks) {
            if (rank < 0 || rank >= ranks)
                return false;
            ++on[static_cast<std::size_t>(rank)];
        }
    }
    return hosts.size() > 1 && std::ranges::all_of(on, [](int times) { return times == 1; });
}

/// "0-1", "0, 2, 4".
std::string rangesText(const std::vector<int> &ranks)
{
    std::string text;
    for (std::size_t begin = 0; begin < ranks.size();) {
        std::size_t end = begin + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
            ++end;
        addToList(text, std::to_string(ranks[begin]));
        if (end - begin > 1)
            text += "-" + std::to_string(ranks[end - 1]);
        begin = end;
    }
    return text;
}

std::string namedWithRanks(const Host &host)
{
    return english({TextId::HostRanks, {host.name, std::to_string(host.ranks.size()), rangesText(host.ranks)}});
}

} // namespace

const Host *hostOf(const Run &run, int rank)
{
    const std::vector<Host> &hosts = run.machine.hosts;
    if (!areWhole(hosts, run.experiment().ranks()))
        return nullptr;
    const auto found = std::ranges::find_if(
        hosts, [rank](const Host &host) { return std::ranges::find(host.ranks, rank) != host.ranks.end(); });
    return found == hosts.end() ? nullptr : &*found;
}

std::vector<int> hostsByRank(const Run &run)
{
    const std::vector<Host> &hosts = run.machine.hosts;
    if (!areWhole(hosts, run.experiment().ranks()))
        return {};
    std::vector<int> byRank(static_cast<std::size_t>(run.experiment().ranks()));
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        for (const int rank : hosts[host].ranks)
            byRank[static_cast<std::size_t>(rank)] = static_cast<int>(host);
    }
    return byRank;
}

std::optional<Text> hostsText(const Run &run)
{
    const std::vector<Host> &hosts = run.machine.hosts;
    if (!areWhole(hosts, run.experiment().ranks()))
        return std::nullopt;
    std::string names;
    for (std::size_t i = 0; i < std::min(hosts.size(), kMostNamed); ++i)
        names += (i == 0 ? "" : ", ") + namedWithRanks(hosts[i]);
    if (hosts.size() > kMostNamed)
        names += ' ' + english({TextId::HostsMore, {std::to_string(hosts.size() - kMostNamed)}});
    const TextId id = run.isPrediction() ? TextId::NodesOfRun : TextId::HostsOfRun;
    return Text{id, {std::to_string(hosts.size()), names}};
}

std::int64_t clockUncertaintyNs(const Run &run)
{
    std::int64_t most = 0;
    for (const Host &host : run.machine.hosts)
        most = std::max(most, host.clockUncertaintyNs);
    return most;
}

std::optional<Text> clocksText(const Run &run)
{
    const std::int64_t ns = clockUncertaintyNs(run);
    return ns > 0 ? std::optional(Text{TextId::HostClocks, {formatTime(static_cast<double>(ns))}}) : std::nullopt;
}

int gpuOf(const Machine &machine, int rank)
{
    constexpr std::string_view kGpu = ": GPU ";
    if (rank < 0 || static_cast<std::size_t>(rank) >= machine.devices.size())
        return -1;
    const std::string &device = machine.devices[static_cast<std::size_t>(rank)];
    const std::size_t at = device.find(kGpu);
    int number = -1;
    if (at != std::string::npos)
        std::from_chars(device.data() + at + kGpu.size(), device.data() + device.size(), number);
    return number;
}

std::optional<GpuShare> sharedGpus(const Machine &machine)
{
    std::vector<Host> hosts = machine.hosts;
    if (hosts.empty()) {
        hosts.emplace_back();
        for (std::size_t rank = 0; rank < machine.devices.size(); ++rank)
            hosts.back().ranks.push_back(static_cast<int>(rank));
    }
    std::optional<GpuShare> most;
    for (const Host &host : hosts) {
        std::set<int> gpus;
        for (const int rank : host.ranks) {
            if (const int gpu = gpuOf(machine, rank); gpu >= 0)
                gpus.insert(gpu);
        }
        const GpuShare share{static_cast<int>(host.ranks.size()), static_cast<int>(gpus.size())};
        if (share.gpus > 0 && share.ranks > share.gpus &&
            share.ranks - share.gpus > (most ? most->ranks - most->gpus : 0))
            most = share;
    }
    return most;
}

} // namespace shardscope
