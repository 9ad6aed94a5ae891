// SPDX-License-Identifier: MIT
#include "engine/simulate/rate_peaks.h"

#include "engine/record/collective_groups.h"
#include "engine/record/format.h"
#include "engine/record/hosts.h"
#include "engine/simulate/group_span.h"
#include "engine/simulate/network.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace shardscope {
namespace {

constexpr double kBytesPerGB = 1e9;

/// Cards as their driver names them, each with the preset of exactly that card: the same chip on another board (H100
/// PCIe, A100 40 GB, a Max-Q edition) has other peaks.
constexpr std::array kCards{
    std::pair<std::string_view, std::string_view>{"NVIDIA A100-SXM4-80GB", "a100-8"},
    std::pair<std::string_view, std::string_view>{"NVIDIA H100 80GB HBM3", "h100-8"},
    std::pair<std::string_view, std::string_view>{"NVIDIA B200", "b200-8"},
    std::pair<std::string_view, std::string_view>{"NVIDIA RTX PRO 6000 Blackwell Server Edition", "pcie5-8"},
    std::pair<std::string_view, std::string_view>{"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "pcie5-8"},
};

/// Of "rank 3: GPU 1, NVIDIA H200" what follows the colon.
std::string placeOf(const std::string &device)
{
    const std::size_t colon = device.find(": ");
    return colon == std::string::npos ? device : device.substr(colon + 2);
}

/// The one card of all ranks; empty where they differ or none is named.
std::string cardOf(const Run &run)
{
    std::set<std::string> cards;
    for (const std::string &device : run.machine.devices) {
        const std::string place = placeOf(device);
        const std::size_t comma = place.find(", ");
        cards.insert(comma == std::string::npos ? place : place.substr(comma + 2));
    }
    if (cards.empty() && run.topology) {
        for (const GpuState &gpu : run.topology->gpus)
            cards.insert(gpu.name);
    }
    return cards.size() == 1 ? *cards.begin() : std::string();
}

bool isMeasuredMachine(const Hardware &hardware)
{
    return hardware.name == "this";
}

/// "H100 SXM 80 GB" of "8 x H100 SXM 80 GB, NVLink 4, ring"; of a measured machine all of it.
std::string deviceTitle(const Hardware &hardware)
{
    if (isMeasuredMachine(hardware))
        return hardware.title;
    const std::string title = hardware.title.substr(0, hardware.title.find(','));
    const std::size_t times = title.find(" x ");
    return times == std::string::npos ? title : title.substr(times + 3);
}

RatePeak devicePeak(const Hardware &peaks, double perSecond, const std::string &words, int ranks)
{
    if (!isMeasuredMachine(peaks))
        return {perSecond, PeakOrigin::DataSheet, {TextId::PeakDataSheet, {words, deviceTitle(peaks)}}};
    if (peaks.sharedCores > 0 && ranks > 1) {
        return {perSecond,
                PeakOrigin::Measured,
                {TextId::PeakMeasuredShare, {words, std::to_string(ranks), deviceTitle(peaks)}}};
    }
    return {perSecond, PeakOrigin::Measured, {TextId::PeakMeasured, {words, deviceTitle(peaks)}}};
}

/// Whether the ranks of a group of the step are on several hosts, or nodes of a prediction.
bool leavesNode(const Run &run, const Step &step, const Hardware &peaks)
{
    if (run.isPrediction())
        return widestSpan(run.plan, step, peaks).nodes > 1;
    const auto hostOf = [&](int rank) {
        return std::ranges::find_if(run.machine.hosts, [&](const Host &host) {
            return std::ranges::find(host.ranks, rank) != host.ranks.end();
        });
    };
    return std::ranges::any_of(groupsOf(run.plan, step), [&](const std::vector<int> &group) {
        return std::ranges::any_of(group, [&](int rank) { return hostOf(rank) != hostOf(group.front()); });
    });
}

/// The slowest of the ways between GPUs whose ranks run the step together; null where none is known.
const GpuPath *slowestPath(const Run &run, const Step &step)
{
    if (!run.topology || run.isPrediction())
        return nullptr;
    std::set<std::pair<int, int>> pairs;
    for (const std::vector<int> &group : groupsOf(run.plan, step)) {
        for (const int one : group) {
            for (const int other : group)
                pairs.emplace(gpuOf(run.machine, one), gpuOf(run.machine, other));
        }
    }
    const GpuPath *slowest = nullptr;
    for (const GpuPath &path : run.topology->paths) {
        const bool used = pairs.contains({path.from, path.to});
        if (used && path.expectedGBps > 0 && (!slowest || path.expectedGBps < slowest->expectedGBps))
            slowest = &path;
    }
    return slowest;
}

RatePeak specified(double gigabytes, const std::string &link)
{
    const double perSecond = gigabytes * kBytesPerGB;
    return {perSecond, PeakOrigin::LinkSpecification, {TextId::PeakLink, {formatByteRate(perSecond), link}}};
}

} // namespace

RatePeak productPeak(const Hardware &peaks, DType dtype, int ranks)
{
    const DType known = speedStandsFor(peaks, dtype);
    const double perSecond = shareOf(peaks, ranks).peakFlops.at(known);
    return devicePeak(peaks, perSecond, formatFlopRate(perSecond) + " in " + std::string(name(known)), ranks);
}

RatePeak memoryPeak(const Hardware &peaks, int ranks)
{
    const double perSecond = shareOf(peaks, ranks).memoryBytesPerSecond;
    return devicePeak(peaks, perSecond, formatByteRate(perSecond), ranks);
}

std::optional<RatePeak> linkPeak(const Run &run, const Step &step, const Hardware &peaks)
{
    if (leavesNode(run, step, peaks)) {
        if (!run.isPrediction())
            return std::nullopt; // which network lies between the hosts is not known
        const double ports = kNetworkGBs * widestSpan(run.plan, step, peaks).together;
        if (peaks.link.GBps > 0 && peaks.link.GBps <= ports)
            return specified(peaks.link.GBps, peaks.link.name);
        const double perSecond = ports * kBytesPerGB;
        return RatePeak{perSecond, PeakOrigin::Assumed, {TextId::PeakPorts, {formatByteRate(perSecond)}}};
    }
    if (const GpuPath *path = slowestPath(run, step))
        return specified(path->expectedGBps, path->word);
    if (peaks.link.GBps > 0)
        return specified(peaks.link.GBps, peaks.link.name);
    if (!isMeasuredMachine(peaks))
        return std::nullopt;
    const Hardware share = shareOf(peaks, run.experiment().ranks());
    const bool sum = step.collective->op == CollectiveOp::AllReduce;
    const double best =
        std::ranges::max(sum ? share.allReduce : share.gatherScatter, {}, &LinkCost::busbwGBs).busbwGBs * kBytesPerGB;
    if (!(best > 0))
        return std::nullopt;
    return RatePeak{best, PeakOrigin::Measured, {TextId::PeakBestLink, {formatByteRate(best), deviceTitle(peaks)}}};
}

const Hardware *peaksFor(const Run &run, const Hardware *own)
{
    if (run.isPrediction()) {
        const bool here = run.hardware == "this" && own && own->title == run.machine.host;
        return here ? own : findHardware(run.hardware);
    }
    if (sharedGpus(run.machine))
        return nullptr;
    const auto card = std::ranges::find(kCards, cardOf(run), [](const auto &pair) { return pair.first; });
    if (card != kCards.end())
        return findHardware(card->second);
    // A file says which processor it was, not that it was this very machine.
    const bool isOwn = own && run.source == Source::Measured && own->title == fittedTitle(run.machine) &&
                       own->transport == run.plan.transport;
    return isOwn ? own : nullptr;
}

Text whyNoPeaks(const Run &run)
{
    if (run.isPrediction())
        return {TextId::RatesNoPreset, {run.machine.host}};
    if (sharedGpus(run.machine))
        return {TextId::RatesSharedGpu, {}};
    const std::string card = cardOf(run);
    if (run.plan.transport == Transport::Nccl && !card.empty())
        return {TextId::RatesUnknownCard, {card}};
    return {run.source == Source::Recorded ? TextId::RatesRecorded : TextId::RatesUnmeasured, {}};
}

std::optional<Text> rateAssumptions(const Run &run, const Hardware &peaks)
{
    if (!run.isPrediction())
        return std::nullopt;
    if (isMeasuredMachine(peaks))
        return Text{TextId::RatesPredictedMeasured, {}};
    return Text{TextId::RatesPredicted, {formatPercent(peaks.efficiency), formatRate(linkGBs(peaks))}};
}

double ridgeOf(const Hardware &peaks, DType dtype)
{
    if (!(peaks.memoryBytesPerSecond > 0))
        return 0;
    return peaks.peakFlops.at(speedStandsFor(peaks, dtype)) / peaks.memoryBytesPerSecond;
}

} // namespace shardscope
