// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/comparison_report.h"
#include "engine/cli/launcher.h"
#include "engine/cli/output.h"
#include "engine/cli/points.h"
#include "engine/cli/render.h"
#include "engine/cli/run_source.h"
#include "engine/cli/schemes_report.h"
#include "engine/record/documents.h"

namespace shardscope::cli {

namespace {

std::vector<Run> runAll(const Arguments &arguments, const std::vector<Experiment> &points)
{
    const auto source = runsFor(arguments, points.front());
    for (const Experiment &point : points)
        source->admit(point);
    std::vector<Run> runs;
    for (const Experiment &point : points)
        runs.push_back(source->run(point));
    return runs;
}

int finish(const std::vector<Run> &runs, Output &output)
{
    output.commit();
    return statusOf(runs, true);
}

int compareSchemes(const Arguments &arguments, const std::string &list)
{
    const std::vector<Experiment> points = readSchemes(list, arguments.experiment, purposeOf(arguments));
    if (follows())
        return followRuns(points);
    Output output(arguments.output);
    const std::vector<Run> runs = runAll(arguments, points);
    if (arguments.format == Format::Table)
        output.writeText(schemesReport(runs, output.console()));
    else if (arguments.format == Format::Json)
        output.write(schemesDocument(runs));
    else
        output.write(render(runs, arguments.format, output.console()));
    return finish(runs, output);
}

int compareEveryPhase(const Arguments &arguments)
{
    const PhasePoints phases = readPhases(arguments.experiment, purposeOf(arguments));
    if (follows())
        return followRuns(phases.points);
    Output output(arguments.output);
    const std::vector<Run> runs = runAll(arguments, phases.points);
    std::map<Phase, Run> byPhase;
    for (const Run &run : runs)
        byPhase.emplace(run.experiment().phase, run);
    if (arguments.format == Format::Table)
        output.writeText(comparisonReport(byPhase, phases.leftOut, output.console()));
    else if (arguments.format == Format::Json)
        output.write(comparisonDocument(byPhase));
    else
        output.write(render(runs, arguments.format, output.console()));
    return finish(runs, output);
}

} // namespace

int compare(const Arguments &arguments)
{
    const auto schemes = arguments.own.find("schemes");
    return schemes == arguments.own.end() ? compareEveryPhase(arguments) : compareSchemes(arguments, schemes->second);
}

} // namespace shardscope::cli
