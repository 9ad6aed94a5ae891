// SPDX-License-Identifier: MIT
#include "engine/cli/measure.h"

#include "engine/cli/arguments.h"
#include "engine/cli/host_session.h"
#include "engine/supervise/host_choice.h"
#include "engine/supervise/machine_facts.h"

#include <algorithm>

namespace shardscope::cli {

Measurement measure(DType dtype, int ranks, Backend backend, const HostProcessOptions &host)
{
    HostSession session(host);
    Measurement measurement;
    session.run(MeasureCommand{"measure", ranks, dtype, backend}, "measuring this machine", [&](const Event &event) {
        if (const auto *point = std::get_if<BandwidthEvent>(&event))
            measurement.collectives.push_back(*point);
        if (const auto *compute = std::get_if<ComputeEvent>(&event))
            measurement.compute.push_back(*compute);
    });
    measurement.machine = session.host().hello().machine;
    measurement.engineVersion = session.host().hello().engineVersion;
    return measurement;
}

Hardware measureThisMachine(DType dtype, int ranks, Backend backend)
{
    // More ranks than cores, or GPUs, would measure how they take turns; the fit carries on from there.
    const int places = runsOnGpus(backend) ? static_cast<int>(rememberedProbe().gpus.size()) : allowedCores();
    const int measured = std::clamp(ranks, 2, std::max(2, places));
    const Measurement measurement = measure(dtype, measured, backend);
    const Expected<Hardware> fitted = fitHardware(measurement.collectives, measurement.compute, measurement.machine);
    if (!fitted)
        throw Failure{kFailed, english(fitted.problem())};
    return *fitted;
}

} // namespace shardscope::cli
