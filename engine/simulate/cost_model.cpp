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

double librarySeconds(const LinkCost &link, const Collective &collective, int ranks, int devices)
{
    const double bandwidth = link.busbwGBs * kGB;
    const std::string_view op = name(collective.op);
    if (link.inSwitch) {
        const double algbw = bandwidth / busFactor(op, std::max(2, devices)).value_or(1);
        return link.baseSeconds + link.alphaSeconds + wireBytes(collective) / algbw;
    }
    return link.baseSeconds + libraryHops(collective.op, ranks) * link.alphaSeconds +
           busFactor(op, ranks).value_or(1) * wireBytes(collective) / bandwidth;
}

const std::vector<LinkCost> &linksFor(CollectiveOp op, const Hardware &hardware)
{
    return op == CollectiveOp::AllReduce ? hardware.allReduce : hardware.gatherScatter;
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
    const Expected<HopSchedule> schedule = hopSchedule(collective.op, collective.algorithm, ranks);
    if (!schedule || schedule->hops.empty())
        return {};
    const Hardware share = shareOf(hardware, ranks);
    std::vector<double> cheapest;
    for (const LinkCost &link : linksFor(collective.op, share)) {
        if (link.inSwitch)
            continue;
        std::vector<double> seconds = hopsOver(link, *schedule, collective);
        if (cheapest.empty() || sum(seconds) < sum(cheapest))
            cheapest = std::move(seconds);
    }
    return cheapest;
}

double collectiveSeconds(const Collective &collective, int ranks, const Hardware &hardware)
{
    if (ranks < 2)
        return 0;
    if (collective.algorithm != Algorithm::Library)
        return sum(hopSeconds(collective, ranks, hardware));
    const Hardware share = shareOf(hardware, ranks);
    double cheapest = std::numeric_limits<double>::infinity();
    for (const LinkCost &link : linksFor(collective.op, share)) {
        if (carries(link, ranks))
            cheapest = std::min(cheapest, librarySeconds(link, collective, ranks, hardware.devices));
    }
    return cheapest;
}

} // namespace shardscope
