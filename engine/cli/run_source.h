// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/arguments.h"
#include "engine/cli/console.h"
#include "engine/record/run.h"
#include "engine/simulate/hardware.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardscope::cli {

/// Where runs come from: ranks on this machine, or the cost model. Commands never ask which.
class RunSource
{
public:
    virtual ~RunSource() = default;
    /// Refuses what cannot run here, before anything is started. Throws Failure (exit 2).
    virtual void admit(const Experiment &experiment) = 0;
    /// Throws Failure (exit 4 or 130).
    [[nodiscard]] virtual Run run(const Experiment &experiment) = 0;
    /// This machine as it was measured for these runs; null where it was not.
    [[nodiscard]] virtual const Hardware *ownMachine() const { return nullptr; }
};

/// Predictions for one described machine.
[[nodiscard]] std::unique_ptr<RunSource> predictedRuns(Hardware hardware);
/// Real ranks; the rank host starts with the first run and is kept.
[[nodiscard]] std::unique_ptr<RunSource> measuredRuns();
/// Takes part in runs that the first of several programs prints; the exit status. Throws Failure.
[[nodiscard]] int followRuns(const std::vector<Experiment> &points);

/// Refuses `--backend` of an experiment where the described machine carries its ranks by another. Throws Failure (exit
/// 2).
void admit(const Experiment &experiment, const Hardware &hardware);
/// A preset, or this machine, measured now. Throws Failure.
[[nodiscard]] Hardware hardwareNamed(const std::string &name, DType dtype, int ranks);

/// Predictions when `hardware` is given, real runs otherwise.
[[nodiscard]] std::unique_ptr<RunSource> runsFor(const Arguments &arguments, const Experiment &first);

} // namespace shardscope::cli
