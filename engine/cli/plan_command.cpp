// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/output.h"
#include "engine/cli/plan_document.h"
#include "engine/cli/points.h"
#include "engine/cli/run_source.h"

namespace shardscope::cli {

int plan(const Arguments &arguments)
{
    const Experiment experiment = readPoint(arguments.experiment);
    // Only what carries the collectives matters to a plan: Gloo here, whatever the preset names there.
    Transport transport = Transport::Gloo;
    if (!arguments.hardware.empty() && arguments.hardware != "this") {
        const Hardware hardware = hardwareNamed(arguments.hardware, experiment.dtype, experiment.ranks());
        admit(experiment, hardware);
        transport = hardware.transport;
    }
    const Plan plan = buildPlan(experiment, transport);
    Output output(arguments.output);
    if (arguments.format == Format::Json)
        output.write(planDocument(plan));
    else
        output.writeText(toText(plan));
    output.commit();
    return kDone;
}

} // namespace shardscope::cli
