// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/comparison_report.h"
#include "engine/cli/output.h"
#include "engine/cli/points.h"
#include "engine/cli/render.h"
#include "engine/cli/run_source.h"
#include "engine/record/documents.h"

namespace shardscope::cli {

int compare(const Arguments &arguments)
{
    const std::vector<Experiment> points = readPhases(arguments.experiment);
    Output output(arguments.output);
    const auto source = runsFor(arguments, points.front());
    for (const Experiment &point : points)
        source->admit(point);
    std::vector<Run> runs;
    std::map<Phase, Run> byPhase;
    for (const Experiment &point : points) {
        runs.push_back(source->run(point));
        byPhase.emplace(point.phase, runs.back());
    }
    if (arguments.format == Format::Table)
        output.writeText(comparisonReport(byPhase, output.console()));
    else if (arguments.format == Format::Json)
        output.write(comparisonDocument(byPhase));
    else
        output.write(render(runs, arguments.format, output.console()));
    output.commit();
    return statusOf(runs, true);
}

} // namespace shardscope::cli
