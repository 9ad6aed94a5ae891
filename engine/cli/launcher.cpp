// SPDX-License-Identifier: MIT
#include "engine/cli/launcher.h"

#include "engine/cli/arguments.h"

#include <array>
#include <cstdlib>

namespace shardscope::cli {
namespace {

struct Launcher {
    const char *title;
    const char *rank;
    const char *size;
    /// Batch systems set them for every program that they start, alone or not.
    bool countsFromTwo;
};

constexpr std::array<Launcher, 4> kLaunchers{{{"torchrun, or by hand", "RANK", "WORLD_SIZE", false},
                                              {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true},
                                              {"mpirun", "PMI_RANK", "PMI_SIZE", true},
                                              {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true}}};

bool hasStarted(const Launcher &launcher)
{
    const char *size = std::getenv(launcher.size);
    return std::getenv(launcher.rank) != nullptr && size != nullptr &&
           (!launcher.countsFromTwo || std::strtol(size, nullptr, 10) > 1);
}

} // namespace

void refuseLaunchers()
{
    for (const Launcher &launcher : kLaunchers) {
        if (hasStarted(launcher))
            throw badArgument("started as one of several ranks (" + std::string(launcher.title) +
                              "): not in this version; unset " + launcher.rank + " and " + launcher.size +
                              ", and --ranks starts the ranks here");
    }
}

} // namespace shardscope::cli
