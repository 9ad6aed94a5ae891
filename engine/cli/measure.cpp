// SPDX-License-Identifier: MIT
#include "engine/cli/measure.h"

#include "engine/cli/arguments.h"
#include "engine/cli/host_session.h"
#include "engine/supervise/machine_facts.h"

#include <algorithm>

namespace shardscope::cli {

Measurement measure(DType dtype, int ranks, const HostProcessOptions &host)
{
    HostSession session(host);
    Measurement measurement;
    session.run(MeasureCommand{"measure", ranks, dtype}, "measuring this machine", [&](const Event &event) {
        if (const auto *point = std::get_if<BandwidthEvent>(&event))
            measurement.collectives.push_back(*point);
        if (const auto *compute = std::get_if<ComputeEvent>(&event))
            measurement.compute.push_back(*compute);
    });
    measurement.machine = session.host().hello().machine;
    // Of ranks that were started elsewhere the host has told it.
    if (measurement.machine.devices.empty())
        measurement.machine.notes.push_back(english(ranksOnCores(ranks, allowedCores())));
    measurement.engineVersion = session.host().hello().engineVersion;
    return measurement;
}

Hardware measureThisMachine(DType dtype, int ranks)
{
    // More ranks than cores would measure the scheduler; the fit carries on from there.
    const int measured = std::clamp(ranks, 2, std::max(2, allowedCores()));
    const Measurement measurement = measure(dtype, measured);
    const Expected<Hardware> fitted = fitHardware(measurement.collectives, measurement.compute, measurement.machine);
    if (!fitted)
        throw Failure{kFailed, english(fitted.problem())};
    return *fitted;
}

} // namespace shardscope::cli
