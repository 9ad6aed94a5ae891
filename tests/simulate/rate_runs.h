// SPDX-License-Identifier: MIT
#pragma once

#include "engine/simulate/achieved_rates.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

// Runs and machines for the tests of rates.

inline Run predicted(const OptionValues &options, const Hardware &hardware)
{
    const Expected<Experiment> read = readExperiment(options, Unused::Allow);
    if (!read)
        qFatal("%s", english(read.problem()).c_str());
    return simulate(buildPlan(*read, hardware.transport), hardware);
}

inline Run predicted(const OptionValues &options, const char *preset = "h100-8")
{
    return predicted(options, *findHardware(preset));
}

inline std::vector<RateRow> ratesOf(const Run &run, const Hardware *own = nullptr)
{
    return achievedRates(run, summarize(run), peaksFor(run, own));
}

inline const RateRow &find(const std::vector<RateRow> &rows, RateKind kind, Pass pass, bool core = false)
{
    const auto found = std::ranges::find_if(
        rows, [&](const RateRow &row) { return row.kind == kind && row.pass == pass && row.coreAttention == core; });
    if (found == rows.end())
        qFatal("no such row");
    return *found;
}

inline bool isClose(double a, double b, double relative = 1e-9)
{
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// 32 768 tokens of the mlp with h 8192, f 32768 on eight H100.
inline const OptionValues kLarge{{"scheme", "mlp"}, {"ranks", "8"},       {"hidden", "8192"},
                                 {"batch", "16"},   {"sequence", "2048"}, {"dtype", "bf16"}};
inline constexpr double kTokens = 16 * 2048;
inline constexpr double kHidden = 8192;
inline constexpr double kWidth = 4 * kHidden;

/// `this` machine: two cores with 100 GFLOP/s and 10 GB/s together, links of 2 GB/s with 20 us a hop.
inline Hardware twoCores()
{
    Hardware own;
    own.name = "this";
    own.title = "this machine: 2 cores";
    own.transport = Transport::Gloo;
    own.sharedCores = own.devices = 2;
    LinkCost link;
    link.alphaSeconds = 20e-6;
    link.busbwGBs = 2;
    link.protocol = "measured";
    own.allReduce = {link};
    link.busbwGBs = 3;
    own.gatherScatter = {link};
    own.peakFlops[DType::F32] = 100e9;
    own.efficiency = 1;
    own.memoryBytesPerSecond = 10e9;
    own.operationOverheadSeconds = 4e-6;
    return own;
}

/// The same run as if ranks on that machine had needed `slower` times as long.
inline Run asMeasured(const OptionValues &options, double slower, Hardware hardware = twoCores())
{
    Run run = predicted(options, hardware);
    run.source = Source::Measured;
    run.hardware.clear();
    run.machine.host = "2 cores";
    run.machine.devices.clear();
    for (SpanEvent &span : run.spans)
        span.endNs = span.startNs + std::llround(static_cast<double>(span.endNs - span.startNs) * slower);
    return run;
}

inline Run onGpus(const OptionValues &options, const std::string &card, int gpus)
{
    Run run = predicted(options);
    run.source = Source::Measured;
    run.hardware.clear();
    run.machine.devices.clear();
    for (int rank = 0; rank < run.experiment().ranks(); ++rank)
        run.machine.devices.push_back("rank " + std::to_string(rank) + ": GPU " + std::to_string(rank % gpus) + ", " +
                                      card);
    return run;
}

} // namespace shardscope
