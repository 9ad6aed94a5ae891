// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/launcher.h"
#include "engine/cli/output.h"
#include "engine/cli/points.h"
#include "engine/cli/render.h"
#include "engine/cli/run_source.h"

namespace shardscope::cli {
namespace {

int printOne(const Arguments &arguments, const Experiment &experiment, RunSource &source, Output &output)
{
    source.admit(experiment);
    const std::vector<Run> runs{source.run(experiment)};
    output.write(render(runs, arguments.format, output.console(), source.ownMachine()));
    output.commit();
    return statusOf(runs);
}

} // namespace

int run(const Arguments &arguments)
{
    const Experiment experiment = readPoint(arguments.experiment, Purpose::Run);
    if (follows())
        return followRuns({experiment});
    Output output(arguments.output);
    return printOne(arguments, experiment, *measuredRuns(), output);
}

int predict(const Arguments &arguments)
{
    if (arguments.hardware == "list")
        return listHardware(arguments);
    const Experiment experiment = readPoint(arguments.experiment);
    Output output(arguments.output); // before this machine is measured
    const std::string hardware = arguments.hardware.empty() ? "this" : arguments.hardware;
    const auto source = predictedRuns(hardwareNamed(hardware, experiment.dtype, experiment.ranks()));
    return printOne(arguments, experiment, *source, output);
}

} // namespace shardscope::cli
