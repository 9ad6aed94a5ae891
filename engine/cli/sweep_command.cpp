// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/output.h"
#include "engine/cli/points.h"
#include "engine/cli/render.h"
#include "engine/cli/run_source.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/comparison.h"
#include "engine/record/documents.h"
#include "engine/record/statistics.h"

namespace shardscope::cli {
namespace {

std::string verdictOf(const RunSummary &summary, const Console &console)
{
    return summary.checksPassed ? console.good("passed") : console.bad("FAILED");
}

std::string sweepTable(const std::vector<Run> &runs, const Grid &grid, const Console &console)
{
    std::vector<TextTable::Column> columns{{.title = "phase"},
                                           {.title = "scheme"},
                                           {.title = "ranks", .right = true},
                                           {.title = "hidden", .right = true},
                                           {.title = "batch", .right = true},
                                           {.title = "sequence", .right = true, .importance = 4},
                                           {.title = "dtype", .importance = 3}};
    for (const std::string &extra : grid.extraColumns)
        columns.push_back({.title = extra});
    for (const char *title : {"step", "compute", "communication", "collectives", "sent/rank"})
        columns.push_back({.title = title, .right = true});
    columns.push_back({.title = "share of communication", .importance = 1});
    columns.push_back({.title = "checks", .importance = 5});
    TextTable table(std::move(columns));
    for (const Run &run : runs) {
        const Experiment &e = run.experiment();
        const RunSummary summary = summarize(run);
        const PassSummary &step = summary.step;
        std::vector<std::string> cells{std::string(name(e.phase)), std::string(name(e.scheme)),
                                       std::to_string(e.ranks()),  std::to_string(e.hidden),
                                       std::to_string(e.batch),    std::to_string(e.sequence),
                                       std::string(name(e.dtype))};
        for (const std::string &extra : grid.extraColumns)
            cells.push_back(findOption(extra)->get(e));
        for (std::string &cell : std::vector<std::string>{
                 durationText(step.elapsedNs), durationText(step.computeNs), durationText(step.communicationNs),
                 std::to_string(step.collectives), bytesText(step.sentBytesPerRank)})
            cells.push_back(std::move(cell));
        const bool known = step.communicationNs && step.elapsedNs && *step.elapsedNs > 0;
        const double share = known ? *step.communicationNs / *step.elapsedNs : 0;
        cells.push_back(known ? console.bar(share, 10) + ' ' + percentText(share) : "-");
        cells.push_back(run.checks.empty() ? "-" : verdictOf(summary, console));
        table.add(std::move(cells));
    }
    return table.text(console, 0);
}

/// The same layer with another number of ranks.
bool sameButForRanks(Experiment a, Experiment b)
{
    a.mesh = b.mesh = Mesh{};
    a.threads = b.threads = 0; // resolved by the number of ranks
    return a == b;
}

/// Where a layer ran on one rank and on several: why the most ranks are faster or slower.
std::string findings(const std::vector<Run> &runs, const Console &console)
{
    std::string text;
    for (const Run &one : runs) {
        const Run *most = &one;
        for (const Run &run : runs) {
            const bool more = run.experiment().ranks() > most->experiment().ranks();
            most = more && sameButForRanks(run.experiment(), one.experiment()) ? &run : most;
        }
        if (one.experiment().ranks() != 1 || most == &one)
            continue;
        if (const std::optional<Text> finding = speedupFinding(one, *most)) {
            const Experiment &e = one.experiment();
            text += '\n' + console.wrapped(std::string(name(e.scheme)) + ", " + std::string(name(e.phase)) + ", h " +
                                               std::to_string(e.hidden) + ": " + english(*finding),
                                           2);
        }
    }
    return text.empty() ? text : text + '\n';
}

/// Rows go out as they come, so that a long sweep can be watched and piped; a file still appears whole.
void writeRow(const Arguments &arguments, const Grid &grid, const Run &run, Output &output)
{
    if (arguments.format == Format::Csv)
        output.write(csvRow(run, grid.extraColumns));
}

} // namespace

int sweep(const Arguments &arguments)
{
    const Grid grid = readGrid(arguments.experiment);
    const auto source = runsFor(arguments, grid.points.front());
    for (const Experiment &point : grid.points)
        source->admit(point);
    Output output(arguments.output);
    if (arguments.format == Format::Csv)
        output.write(csvHeader(grid.extraColumns));
    std::vector<Run> runs;
    int status = kDone;
    for (const Experiment &point : grid.points) {
        Run run = source->run(point);
        writeRow(arguments, grid, run, output);
        status = std::max(status, statusOf({run}, true));
        if (arguments.format != Format::Csv) // a row needs no spans any more
            runs.push_back(std::move(run));
    }
    if (arguments.format == Format::Table)
        output.writeText(sweepTable(runs, grid, output.console()) + findings(runs, output.console()));
    else if (arguments.format != Format::Csv)
        output.write(render(runs, arguments.format, output.console()));
    output.commit();
    return status;
}

} // namespace shardscope::cli
