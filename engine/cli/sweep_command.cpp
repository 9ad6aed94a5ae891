// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/launcher.h"
#include "engine/cli/output.h"
#include "engine/cli/points.h"
#include "engine/cli/render.h"
#include "engine/cli/run_report.h"
#include "engine/cli/run_source.h"
#include "engine/cli/sweep_findings.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/documents.h"
#include "engine/record/statistics.h"
#include "engine/supervise/host_choice.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

/// As the CSV column: what ran must also be what was planned.
std::string checksText(const Run &run, const RunSummary &summary, const Console &console)
{
    if (!summary.checksPassed || !summary.observedAsPlanned)
        return console.bad("FAILED");
    return run.checks.empty() ? "-" : console.good("passed");
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
        cells.push_back(checksText(run, summary, console));
        table.add(std::move(cells));
    }
    return table.text(console, 0);
}

/// Measured here or predicted for which machine: nothing in the rows says it.
std::string originOf(const std::vector<Run> &runs, const Console &console)
{
    std::vector<const Run *> pointers;
    for (const Run &run : runs)
        pointers.push_back(&run);
    return origin(pointers, console);
}

/// Takes the runs of a sweep as they come and writes them.
class Results
{
public:
    Results(const Arguments &arguments, const Grid &grid)
        : m_format(arguments.format), m_grid(grid), m_columns(grid.extraColumns), m_output(arguments.output)
    {
        const bool measured = arguments.hardware.empty();
        if (measured && std::ranges::any_of(grid.points, runsOnGpus, &Experiment::backend))
            m_columns.emplace_back(kSharedGpuColumn);
    }

    /// Once every point is admitted.
    void begin()
    {
        if (m_format == Format::Csv)
            m_output.write(csvHeader(m_columns));
    }
    /// CSV rows go out at once, so that a long sweep can be watched and piped; they need no spans any more.
    void add(Run run)
    {
        if (m_format == Format::Csv)
            m_output.write(csvRow(run, m_columns));
        else
            m_runs.push_back(std::move(run));
    }

    /// What has come so far; a file takes its name only by finish().
    void write()
    {
        const Console console = m_output.console();
        if (m_format == Format::Table)
            m_output.writeText(originOf(m_runs, console) + '\n' + sweepTable(m_runs, m_grid, console) +
                               speedFindings(m_runs, console) + outputsByRanks(m_runs, console));
        else if (m_format == Format::Json)
            m_output.write(documentList(m_runs)); // however many points the grid has, a list
        else if (m_format != Format::Csv)
            m_output.write(render(m_runs, m_format, console));
    }
    void finish()
    {
        write();
        m_output.commit();
    }
    /// The sweep ended early: on stdout the points that ran are not lost, a file is written whole or not at all.
    void giveUp()
    {
        if (!m_runs.empty() && !m_output.isFile())
            write();
    }

private:
    Format m_format;
    const Grid &m_grid;
    std::vector<std::string> m_columns; ///< beyond the fixed ones
    Output m_output;
    std::vector<Run> m_runs;
};

} // namespace

int sweep(const Arguments &arguments)
{
    const Grid grid = readGrid(arguments.experiment, purposeOf(arguments));
    if (follows())
        return followRuns(grid.points);
    Results results(arguments, grid);
    const auto source = runsFor(arguments, grid.points.front());
    for (const Experiment &point : grid.points)
        source->admit(point);
    results.begin();
    int status = kDone;
    try {
        for (const Experiment &point : grid.points) {
            Run run = source->run(point);
            status = std::max(status, statusOf({run}, true));
            results.add(std::move(run));
        }
    } catch (const Failure &) {
        results.giveUp();
        throw;
    }
    results.finish();
    return status;
}

} // namespace shardscope::cli
