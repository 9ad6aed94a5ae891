// SPDX-License-Identifier: MIT
#include "engine/record/statistics.h"
#include "engine/simulate/hardware.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace shardscope {
namespace {

/// One measured collective in the form t = alpha·hops + inverseBandwidth·wire.
struct Observation {
    double hops = 0;
    double wire = 0; ///< bytes each rank sends
    double seconds = 0;
};

struct Line {
    double alpha = 0;
    double inverseBandwidth = 0;
};

double crowding(int ranks, int cores)
{
    return std::max(1.0, static_cast<double>(ranks) / cores);
}

/// What shareOf() will slow down again is taken out here, so that fitting and predicting are inverse. Bytes are those
/// on the wire, as predictions count them, so measurements of several dtypes are points of one line.
std::vector<Observation> observe(const std::vector<BandwidthEvent> &events, bool allReduce, int cores)
{
    std::vector<Observation> observations;
    for (const BandwidthEvent &event : events) {
        const bool gather = event.op == CollectiveOp::AllGather || event.op == CollectiveOp::ReduceScatter;
        const bool wanted = allReduce ? event.op == CollectiveOp::AllReduce : gather;
        if (!wanted || event.ranks < 2 || event.sentBytes <= 0 || event.medianNs <= 0)
            continue;
        const double hops = allReduce ? 2.0 * (event.ranks - 1) : event.ranks - 1.0;
        observations.push_back({hops, static_cast<double>(event.sentBytes),
                                static_cast<double>(event.medianNs) * 1e-9 / crowding(event.ranks, cores)});
    }
    return observations;
}

/// Weighted least squares of the relative error: small messages tell the latency, large ones the bandwidth, and
/// neither drowns the other. An unknown that comes out negative is held at zero.
Line leastSquares(const std::vector<Observation> &points, const std::vector<double> &weights)
{
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double a = points[i].hops / points[i].seconds;
        const double b = points[i].wire / points[i].seconds;
        aa += weights[i] * a * a;
        ab += weights[i] * a * b;
        bb += weights[i] * b * b;
        ay += weights[i] * a;
        by += weights[i] * b;
    }
    const double determinant = aa * bb - ab * ab;
    Line line{(ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant};
    if (line.alpha < 0)
        line = {0, by / bb};
    else if (line.inverseBandwidth <= 0)
        line = {ay / aa, 0};
    return line;
}

double relativeResidual(const Observation &point, const Line &line)
{
    return (line.alpha * point.hops + line.inverseBandwidth * point.wire) / point.seconds - 1;
}

/// Huber's weights over a few rounds: a repetition that the scheduler spoiled counts less.
Line robustFit(const std::vector<Observation> &points)
{
    constexpr int kRounds = 12;
    constexpr double kHuber = 1.345;
    std::vector<double> weights(points.size(), 1);
    Line line = leastSquares(points, weights);
    for (int round = 0; round < kRounds; ++round) {
        std::vector<double> sizes;
        for (const Observation &point : points)
            sizes.push_back(std::abs(relativeResidual(point, line)));
        std::vector<double> sorted = sizes;
        std::ranges::sort(sorted);
        const double limit = kHuber * std::max(1.4826 * sorted[sorted.size() / 2], 1e-3);
        for (std::size_t i = 0; i < points.size(); ++i)
            weights[i] = sizes[i] <= limit ? 1 : limit / sizes[i];
        line = leastSquares(points, weights);
    }
    return line;
}

bool severalSizes(const std::vector<Observation> &points)
{
    return std::ranges::any_of(
        points, [&](const Observation &p) { return p.wire / p.hops != points[0].wire / points[0].hops; });
}

std::optional<LinkCost> fitLink(const std::vector<Observation> &points)
{
    if (points.size() < 2 || !severalSizes(points))
        return std::nullopt;
    const Line line = robustFit(points);
    LinkCost link;
    link.protocol = "measured";
    link.alphaSeconds = line.alpha;
    double bandwidth = line.inverseBandwidth > 0 ? 1 / line.inverseBandwidth : 0;
    // Only small messages: latency hides the bandwidth, which is then at least what the best of them reached.
    for (const Observation &point : points)
        bandwidth = line.inverseBandwidth > 0 ? bandwidth : std::max(bandwidth, point.wire / point.seconds);
    link.busbwGBs = bandwidth / 1e9;
    return link;
}

double medianOf(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// CPU ranks measured together share the machine, so the machine has what they had, times their number.
void addCompute(Hardware &hardware, const std::vector<ComputeEvent> &events, int cores)
{
    std::map<DType, std::vector<double>> flops;
    std::vector<double> memory;
    std::vector<double> overhead;
    for (const ComputeEvent &event : events) {
        const int sharing = hardware.sharedCores > 0 ? event.ranks : 1;
        flops[event.dtype].push_back(event.flopsPerSecond * sharing);
        memory.push_back(event.bytesPerSecond * sharing);
        overhead.push_back(std::max(0.0, event.overheadNs * 1e-9 / crowding(event.ranks, cores)));
    }
    for (const auto &[dtype, values] : flops)
        hardware.peakFlops[dtype] = medianOf(values);
    hardware.memoryBytesPerSecond = medianOf(memory);
    hardware.operationOverheadSeconds = medianOf(overhead);
}

} // namespace

std::string fittedTitle(const Machine &machine)
{
    const std::string name = machine.remote.empty() ? "this machine" : machine.remote;
    return machine.host.empty() ? name : name + ": " + machine.host;
}

Expected<Hardware> fitHardware(const std::vector<BandwidthEvent> &collectives, const std::vector<ComputeEvent> &compute,
                               const Machine &machine)
{
    std::vector<ComputeEvent> usable;
    std::ranges::copy_if(compute, std::back_inserter(usable), [](const ComputeEvent &event) {
        return event.flopsPerSecond > 0 && event.bytesPerSecond > 0 && event.ranks > 0;
    });
    if (usable.empty())
        return Text{TextId::FitNeedsCompute, {}};
    Hardware hardware;
    hardware.name = "this";
    hardware.title = fittedTitle(machine);
    hardware.transport = machine.backend == "nccl" ? Transport::Nccl : Transport::Gloo;
    hardware.sharedCores = hardware.transport == Transport::Gloo ? coresOf(machine) : 0;
    hardware.devices = std::max(1, static_cast<int>(machine.devices.size()));
    hardware.efficiency = 1; // measured, not a share of a nominal peak
    const int cores = hardware.sharedCores > 0 ? hardware.sharedCores : 1 << 16; // with GPUs no rank waits for a core
    const std::optional<LinkCost> allReduce = fitLink(observe(collectives, true, cores));
    if (!allReduce)
        return Text{TextId::FitNeedsSizes, {}};
    hardware.allReduce = {*allReduce};
    hardware.gatherScatter = {fitLink(observe(collectives, false, cores)).value_or(*allReduce)};
    addCompute(hardware, usable, cores);
    hardware.sources = {"measured on " + (machine.remote.empty() ? "this machine" : machine.remote) +
                        "; alpha and beta by least squares over message sizes"};
    return hardware;
}

} // namespace shardscope
