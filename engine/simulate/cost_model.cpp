// SPDX-License-Identifier: MIT
#include "engine/plan/hop_schedule.h"
#include "engine/record/statistics.h"
#include "engine/simulate/kernel_work.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <limits>

namespace shardscope {
namespace {

constexpr double kGB = 1e9;
constexpr int kLeastRanksInSwitch = 5; ///< LinkCost::inSwitch

double wireBytes(const Collective &collective)
{
    return static_cast<double>(collective.elements) * bytesOf(collective.wireDtype);
}

/// A hop lasts as long as its busiest rank sends.
double largestSentInHop(const Hop &hop, const HopSchedule &schedule, const Collective &collective)
{
    const HopElements moved = elementsOfHop(schedule, hop, collective.elements);
    return static_cast<double>(*std::ranges::max_element(moved.sent)) * bytesOf(collective.wireDtype);
}

std::vector<double> hopsOver(const LinkCost &link, const HopSchedule &schedule, const Collective &collective)
{
    std::vector<double> seconds;
    for (const Hop &hop : schedule.hops) {
        seconds.push_back(link.alphaSeconds + largestSentInHop(hop, schedule, collective) / (link.busbwGBs * kGB));
    }
    if (!seconds.empty())
        seconds.front() += link.baseSeconds;
    return seconds;
}

double sum(const std::vector<double> &values)
{
    double total = 0;
    for (const double value : values)
        total += value;
    return total;
}

/// Steps of the ring that a library runs inside a node: NCCL models its tree with as many (tuning.cc).
int libraryHops(CollectiveOp op, int ranks)
{
    return op == CollectiveOp::AllReduce ? 2 * (ranks - 1) : ranks - 1;
}

bool carries(const LinkCost &link, int ranks)
{
    return !link.inSwitch || ranks >= kLeastRanksInSwitch;
}

/// What an empty message of the library would take.
double libraryLatency(const LinkCost &link, const Collective &collective, int ranks)
{
    return link.baseSeconds + (link.inSwitch ? 1 : libraryHops(collective.op, ranks)) * link.alphaSeconds;
}

double librarySeconds(const LinkCost &link, const Collective &collective, int ranks, int devices)
{
    const double bandwidth = link.busbwGBs * kGB;
    const std::string_view op = name(collective.op);
    const double latency = libraryLatency(link, collective, ranks);
    if (link.inSwitch) {
        const double algbw = bandwidth / busFactor(op, std::max(2, devices)).value_or(1);
        return latency + wireBytes(collective) / algbw;
    }
    return latency + busFactor(op, ranks).value_or(1) * wireBytes(collective) / bandwidth;
}

const std::vector<LinkCost> &linksFor(CollectiveOp op, const Hardware &hardware)
{
    return op == CollectiveOp::AllReduce ? hardware.allReduce : hardware.gatherScatter;
}

/// Our own algorithm's hops over the link that carries them cheapest; none where it has no schedule.
struct CheapestHops {
    std::vector<double> seconds;
    double latency = 0;
};

CheapestHops cheapestHops(const Collective &collective, int ranks, const Hardware &hardware)
{
    const Expected<HopSchedule> schedule = hopSchedule(collective.op, collective.algorithm, ranks);
    if (!schedule || schedule->hops.empty())
        return {};
    const Hardware share = shareOf(hardware, ranks);
    CheapestHops cheapest;
    for (const LinkCost &link : linksFor(collective.op, share)) {
        if (link.inSwitch)
            continue;
        std::vector<double> seconds = hopsOver(link, *schedule, collective);
        if (cheapest.seconds.empty() || sum(seconds) < sum(cheapest.seconds)) {
            const auto hops = static_cast<double>(seconds.size());
            cheapest = {std::move(seconds), link.baseSeconds + hops * link.alphaSeconds};
        }
    }
    return cheapest;
}

/// A collective's time and what of it is latency.
struct CollectiveCost {
    double seconds = 0;
    double latency = 0;
};

CollectiveCost costOf(const Collective &collective, int ranks, const Hardware &hardware)
{
    if (ranks < 2)
        return {};
    if (collective.algorithm != Algorithm::Library) {
        const CheapestHops hops = cheapestHops(collective, ranks, hardware);
        return {sum(hops.seconds), hops.latency};
    }
    const Hardware share = shareOf(hardware, ranks);
    CollectiveCost cheapest{std::numeric_limits<double>::infinity(), 0};
    for (const LinkCost &link : linksFor(collective.op, share)) {
        const double seconds = librarySeconds(link, collective, ranks, hardware.devices);
        if (carries(link, ranks) && seconds < cheapest.seconds)
            cheapest = {seconds, libraryLatency(link, collective, ranks)};
    }
    return cheapest;
}

} // namespace

double computeSeconds(const Step &step, DType dtype, const Hardware &hardware)
{
    const double peak = hardware.efficiency * hardware.peakFlops.at(speedStandsFor(hardware, dtype));
    double seconds = 0;
    for (const KernelWork &kernel : kernelsOf(step, dtype)) {
        seconds += std::max(kernel.flops / peak, kernel.bytes / hardware.memoryBytesPerSecond) +
                   hardware.operationOverheadSeconds;
    }
    return seconds;
}

std::vector<double> hopSeconds(const Collective &collective, int ranks, const Hardware &hardware)
{
    return cheapestHops(collective, ranks, hardware).seconds;
}

double collectiveSeconds(const Collective &collective, int ranks, const Hardware &hardware)
{
    return costOf(collective, ranks, hardware).seconds;
}

double latencySeconds(const Collective &collective, int ranks, const Hardware &hardware)
{
    return costOf(collective, ranks, hardware).latency;
}

} // namespace shardscope
