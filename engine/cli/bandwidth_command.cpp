// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/launcher.h"
#include "engine/cli/measure.h"
#include "engine/cli/output.h"
#include "engine/cli/points.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/codec.h"
#include "engine/record/format.h"
#include "engine/record/json_values.h"
#include "engine/record/statistics.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

/// GB/s of one point; bus bandwidth is undefined on one rank.
double algbwOf(const BandwidthEvent &point)
{
    return static_cast<double>(point.payloadBytes) / static_cast<double>(std::max<std::int64_t>(point.medianNs, 1));
}

std::optional<double> busbwOf(const BandwidthEvent &point)
{
    const std::optional<double> factor = busFactor(name(point.op), point.ranks);
    return factor ? std::optional(algbwOf(point) * *factor) : std::nullopt;
}

std::string fitLines(const Hardware &fit, int ranks)
{
    const auto line = [&](const char *what, const LinkCost &link, int hops) {
        return std::string("  ") + what + ": alpha " + durationText(link.alphaSeconds * 1e9) + " per hop (" +
               durationText(link.alphaSeconds * hops * 1e9) + " for " + counted(hops, "hop|hops") + "), busbw " +
               bandwidthText(link.busbwGBs) + '\n';
    };
    return line("all-reduce", fit.allReduce.front(), 2 * (ranks - 1)) +
           line("all-gather, reduce-scatter", fit.gatherScatter.front(), ranks - 1);
}

std::string table(const Measurement &measurement, const Hardware &fit, int ranks, const Console &console)
{
    double best = 0;
    for (const BandwidthEvent &point : measurement.collectives)
        best = std::max(best, busbwOf(point).value_or(0));
    TextTable points({{.title = "collective"},
                      {.title = "payload", .right = true},
                      {.title = "time", .right = true},
                      {.title = "algbw", .right = true},
                      {.title = "busbw", .right = true},
                      {.title = "", .importance = 2}});
    for (const BandwidthEvent &point : measurement.collectives) {
        const std::optional<double> busbw = busbwOf(point);
        std::string op(name(point.op));
        std::ranges::replace(op, '_', '-');
        points.add({op, bytesText(point.payloadBytes), durationText(static_cast<double>(point.medianNs)),
                    bandwidthText(algbwOf(point)), bandwidthText(busbw),
                    console.bar(best > 0 ? busbw.value_or(0) / best : 0, 20)});
    }
    std::string text = console.bold("Collectives of " + counted(ranks, "rank|ranks")) + ", measured on " +
                       measurement.machine.host + '\n';
    for (const std::string &note : measurement.machine.notes)
        text += console.warning(console.wrapped(note, 0)) + '\n';
    text += points.text(console) + '\n' + console.bold("Fitted: t = hops x alpha + bytes sent by each rank / busbw") +
            '\n' + fitLines(fit, ranks);
    for (const ComputeEvent &compute : measurement.compute) {
        text += "  compute, " + std::string(name(compute.dtype)) + ", " + counted(compute.ranks, "rank|ranks") +
                " at once: " + formatNumber(compute.flopsPerSecond / 1e9) + " GFLOP/s, " +
                formatNumber(compute.bytesPerSecond / 1e9) + " GB/s, " + durationText(compute.overheadNs) +
                " per operation, each\n";
    }
    return text;
}

Json linkDocument(const LinkCost &link)
{
    return {{"alpha_us", number(link.alphaSeconds * 1e6)}, {"busbw_GBps", number(link.busbwGBs)}};
}

std::string document(const Measurement &measurement, const Hardware &fit, int ranks)
{
    Json points = Json::array();
    for (const BandwidthEvent &point : measurement.collectives) {
        points.push_back({{"op", name(point.op)},
                          {"payload_bytes", point.payloadBytes},
                          {"median_us", microseconds(static_cast<double>(point.medianNs))},
                          {"algbw_GBps", number(algbwOf(point))},
                          {"busbw_GBps", number(busbwOf(point))}});
    }
    Json compute = Json::array();
    for (const ComputeEvent &event : measurement.compute) {
        compute.push_back({{"dtype", name(event.dtype)},
                           {"ranks", event.ranks},
                           {"flops_per_second", number(event.flopsPerSecond)},
                           {"bytes_per_second", number(event.bytesPerSecond)},
                           {"overhead_us", microseconds(event.overheadNs)}});
    }
    const Json all{{"schema", 1},
                   {"machine", machineJson(measurement.machine)},
                   {"ranks", ranks},
                   {"points", points},
                   {"compute", compute},
                   {"fit",
                    {{"all_reduce", linkDocument(fit.allReduce.front())},
                     {"gather_scatter", linkDocument(fit.gatherScatter.front())}}}};
    return dumped(all);
}

std::string stream(const Measurement &measurement)
{
    HelloEvent hello;
    hello.engineVersion = measurement.engineVersion;
    hello.machine = measurement.machine;
    std::string lines = encode(Event(hello));
    for (const BandwidthEvent &point : measurement.collectives)
        lines += encode(Event(point));
    for (const ComputeEvent &compute : measurement.compute)
        lines += encode(Event(compute));
    return lines;
}

std::string rows(const Measurement &measurement)
{
    constexpr int kDecimals = 6;
    std::string text = "op,ranks,payload_bytes,median_us,algbw_GBps,busbw_GBps\n";
    for (const BandwidthEvent &point : measurement.collectives) {
        const std::optional<double> busbw = busbwOf(point);
        text += csvLine({std::string(name(point.op)), std::to_string(point.ranks), std::to_string(point.payloadBytes),
                         fixedDecimals(static_cast<double>(point.medianNs) / 1e3, 3),
                         fixedDecimals(algbwOf(point), kDecimals),
                         busbw ? fixedDecimals(*busbw, kDecimals) : std::string()});
    }
    return text;
}

} // namespace

int bandwidth(const Arguments &arguments)
{
    const Experiment experiment = readOptionsAlone(arguments.experiment);
    if (experiment.ranks() < 2)
        throw badArgument("--ranks 1: one rank sends nothing; allowed: 2 or more");
    requireStartedRanks(experiment.ranks());
    if (follows()) {
        (void)measure(experiment.dtype, experiment.ranks(), experiment.backend, hostForRanks());
        return kDone;
    }
    Output output(arguments.output);
    const Measurement measurement = measure(experiment.dtype, experiment.ranks(), experiment.backend, hostForRanks());
    const Expected<Hardware> fit = fitHardware(measurement.collectives, measurement.compute, measurement.machine);
    if (!fit)
        throw Failure{kFailed, english(fit.problem())};
    if (arguments.format == Format::Json)
        output.write(document(measurement, *fit, experiment.ranks()));
    else if (arguments.format == Format::Jsonl)
        output.write(stream(measurement));
    else if (arguments.format == Format::Csv)
        output.write(rows(measurement));
    else
        output.write(table(measurement, *fit, experiment.ranks(), output.console()));
    output.commit();
    return kDone;
}

} // namespace shardscope::cli
