// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/output.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/format.h"
#include "engine/simulate/hardware.h"

#include <algorithm>
#include <cmath>

namespace shardscope::cli {
namespace {

std::string links(const std::vector<LinkCost> &links)
{
    double best = 0;
    for (const LinkCost &link : links)
        best = std::max(best, link.busbwGBs);
    return bandwidthText(best);
}

std::string table(const Console &console)
{
    TextTable table({{.title = "name"},
                     {.title = "machine", .importance = 5},
                     {.title = "all-reduce", .right = true},
                     {.title = "gather/scatter", .right = true, .importance = 4},
                     {.title = "bf16 peak", .right = true},
                     {.title = "efficiency", .right = true, .importance = 3},
                     {.title = "memory", .right = true}});
    for (const Hardware &preset : hardwarePresets()) {
        table.add({preset.name, preset.title, links(preset.allReduce), links(preset.gatherScatter),
                   formatNumber(preset.peakFlops.at(DType::BF16) / 1e12) + " TFLOP/s", percentText(preset.efficiency),
                   formatGibibytes(std::llround(preset.memoryBytes)) + " at " +
                       formatNumber(preset.memoryBytesPerSecond / 1e12) + " TB/s"});
    }
    table.add({"this", "this machine, measured first", "-", "-", "-", "-", "-"});
    return table.text(console) + "\nbandwidths are bus bandwidths of large messages, GB = 1e9; every number's source "
                                 "stands in --format json\n";
}

std::string json()
{
    std::string list;
    for (const Hardware &preset : hardwarePresets()) {
        std::string one = toJson(preset);
        one.pop_back();
        list += (list.empty() ? "[\n" : ",\n") + one;
    }
    return list + "\n]\n";
}

} // namespace

int listHardware(const Arguments &arguments)
{
    if (!arguments.experiment.empty())
        throw badArgument("--" + arguments.experiment.begin()->first + ": --hardware list takes no experiment");
    if (arguments.format != Format::Table && arguments.format != Format::Json)
        throw badArgument("--format " + std::string(name(arguments.format)) +
                          ": not of --hardware list; allowed: table, json");
    Output output(arguments.output);
    output.write(arguments.format == Format::Json ? json() : table(output.console()));
    output.commit();
    return kDone;
}

} // namespace shardscope::cli
