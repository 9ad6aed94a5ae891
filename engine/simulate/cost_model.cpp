// SPDX-License-Identifier: MIT
#include "engine/plan/hop_schedule.h"
#include "engine/record/statistics.h"
#include "engine/simulate/kernel_work.h"
#include "engine/simulate/network.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace shardscope {
namespace {

constexpr double kGB = 1e9;
constexpr int kLeastRanksInSwitch = 5; ///< LinkCost::inSwitch

double wireBytes(const Collective &collective)
{
    return static_cast<double>(collective.elements) * bytesOf(collective.wireDtype);
}

/// The transfers of the hop that stay inside a node, or those that leave one.
Hop partOf(const Hop &hop, const GroupSpan &group, bool leaving)
{
    Hop part;
    std::ranges::copy_if(hop, std::back_inserter(part), [&](const Transfer &transfer) {
        return (group.nodeOf(transfer.from) != group.nodeOf(transfer.to)) == leaving;
    });
    return part;
}

/// As long as the busiest rank sends, or receives.
double busiestSeconds(const Hop &part, const HopSchedule &schedule, const Collective &collective, double gigabytes)
{
    const HopElements moved = elementsOfHop(schedule, part, collective.elements);
    const std::int64_t most =
        std::max(*std::ranges::max_element(moved.sent), *std::ranges::max_element(moved.received));
    return static_cast<double>(most) * bytesOf(collective.wireDtype) / (gigabytes * kGB);
}

/// What leaves the nodes goes over a port of each rank, beside what stays inside.
double hopSecondsOver(const LinkCost &link, const Hop &hop, const HopSchedule &schedule, const Collective &collective,
                      const GroupSpan &group, const Hardware &hardware)
{
    const Hop inside = partOf(hop, group, false);
    const Hop leaving = partOf(hop, group, true);
    double seconds = 0;
    if (!inside.empty())
        seconds = link.alphaSeconds + busiestSeconds(inside, schedule, collective, link.busbwGBs);
    if (!leaving.empty()) {
        const GroupSpan onePort(group.ranks, group.nodes, 1);
        const double port = busbwGBs(link, onePort, hardware);
        seconds = std::max(seconds, ringHopSeconds(link) + busiestSeconds(leaving, schedule, collective, port));
    }
    return seconds;
}

std::vector<double> hopsOver(const LinkCost &link, const HopSchedule &schedule, const Collective &collective,
                             const GroupSpan &group, const Hardware &hardware)
{
    std::vector<double> seconds;
    for (const Hop &hop : schedule.hops)
        seconds.push_back(hopSecondsOver(link, hop, schedule, collective, group, hardware));
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

/// A switch adds inside its node, and few ranks do not go through it.
bool carries(const LinkCost &link, const GroupSpan &group)
{
    return !link.inSwitch || (group.ranks >= kLeastRanksInSwitch && group.nodes == 1);
}

/// Seconds, and what of them an empty message of the library would take.
struct CollectiveCost {
    double seconds = 0;
    double latency = 0;
};

/// Of its ring's steps some leave a node: one for each node and way.
CollectiveCost ringCost(const LinkCost &link, const Collective &collective, const GroupSpan &group,
                        const Hardware &hardware)
{
    const int hops = libraryHops(collective.op, group.ranks);
    const int leaving = libraryHops(collective.op, group.nodes);
    const double latency = link.baseSeconds + (hops - leaving) * link.alphaSeconds + leaving * ringHopSeconds(link);
    const double factor = busFactor(name(collective.op), group.ranks).value_or(1);
    return {latency + factor * wireBytes(collective) / (busbwGBs(link, group, hardware) * kGB), latency};
}

/// A chain inside each node and a binary tree of nodes, up and down again; the whole array passes every rank twice.
CollectiveCost treeCost(const LinkCost &link, const Collective &collective, const GroupSpan &group,
                        const Hardware &hardware)
{
    const double inside = static_cast<double>(group.ranks) / group.nodes - 1;
    const double latency =
        link.baseSeconds + 2 * (inside * link.alphaSeconds + std::floor(std::log2(group.nodes)) * treeHopSeconds(link));
    const double bandwidth = kTreeShare * busbwGBs(link, group, hardware) * kGB;
    return {latency + 2 * wireBytes(collective) / bandwidth, latency};
}

CollectiveCost switchCost(const LinkCost &link, const Collective &collective, int devices)
{
    const double latency = link.baseSeconds + link.alphaSeconds;
    const double algbw = link.busbwGBs * kGB / busFactor(name(collective.op), std::max(2, devices)).value_or(1);
    return {latency + wireBytes(collective) / algbw, latency};
}

CollectiveCost libraryCost(const LinkCost &link, const Collective &collective, const GroupSpan &group,
                           const Hardware &hardware)
{
    if (link.inSwitch)
        return switchCost(link, collective, hardware.devices);
    const CollectiveCost ring = ringCost(link, collective, group, hardware);
    if (group.nodes == 1 || collective.op != CollectiveOp::AllReduce)
        return ring;
    const CollectiveCost tree = treeCost(link, collective, group, hardware);
    return tree.seconds < ring.seconds ? tree : ring;
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

/// What the hops would take if nothing were in them.
double emptySeconds(const LinkCost &link, const HopSchedule &schedule, Collective collective, const GroupSpan &group,
                    const Hardware &hardware)
{
    collective.elements = 0;
    return sum(hopsOver(link, schedule, collective, group, hardware));
}

CheapestHops cheapestHops(const Collective &collective, const GroupSpan &group, const Hardware &hardware)
{
    const Expected<HopSchedule> schedule = hopSchedule(collective.op, collective.algorithm, group.ranks);
    if (!schedule || schedule->hops.empty())
        return {};
    const Hardware share = shareOf(hardware, group.ranks);
    CheapestHops cheapest;
    for (const LinkCost &link : linksFor(collective.op, share)) {
        if (link.inSwitch)
            continue;
        std::vector<double> seconds = hopsOver(link, *schedule, collective, group, share);
        if (cheapest.seconds.empty() || sum(seconds) < sum(cheapest.seconds))
            cheapest = {std::move(seconds), emptySeconds(link, *schedule, collective, group, share)};
    }
    return cheapest;
}

CollectiveCost costOf(const Collective &collective, const GroupSpan &group, const Hardware &hardware)
{
    if (group.ranks < 2)
        return {};
    if (collective.algorithm != Algorithm::Library) {
        const CheapestHops hops = cheapestHops(collective, group, hardware);
        return {sum(hops.seconds), hops.latency};
    }
    const Hardware share = shareOf(hardware, group.ranks);
    CollectiveCost cheapest{std::numeric_limits<double>::infinity(), 0};
    for (const LinkCost &link : linksFor(collective.op, share)) {
        if (!carries(link, group))
            continue;
        const CollectiveCost cost = libraryCost(link, collective, group, share);
        if (cost.seconds < cheapest.seconds)
            cheapest = cost;
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

std::vector<double> hopSeconds(const Collective &collective, const GroupSpan &group, const Hardware &hardware)
{
    return cheapestHops(collective, group, hardware).seconds;
}

double collectiveSeconds(const Collective &collective, const GroupSpan &group, const Hardware &hardware)
{
    return costOf(collective, group, hardware).seconds;
}

double latencySeconds(const Collective &collective, const GroupSpan &group, const Hardware &hardware)
{
    return costOf(collective, group, hardware).latency;
}

} // namespace shardscope
