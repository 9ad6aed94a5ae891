// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/together.h"
#include "engine/plan/experiment.h"
#include "engine/plan/experiment_options.h"
#include "engine/supervise/host_process.h"

namespace shardscope::cli {

// torchrun, mpirun, srun or somebody by hand may have started this program as one of several ranks. All of them are
// given the same command and work through it in step; the first one prints, the others only complain.

/// Looks at how this program was started. True when there is something to do here. Throws Failure (exit 2): broken
/// variables of a command that joins.
[[nodiscard]] bool beginTogether(Together together);

/// One of the others, whose result the first one prints.
[[nodiscard]] bool follows();
/// How many ranks were started, if something has started them.
[[nodiscard]] std::optional<int> startedRanks();
/// The options with as many ranks as were started, where they leave it open.
[[nodiscard]] OptionValues withStartedRanks(OptionValues given);
/// Throws Failure (exit 2) when other ranks were started than that many.
void requireStartedRanks(int ranks);
/// Ranks of so many that work on this host.
[[nodiscard]] int ranksHere(int ranks);
/// With the threads that this host has for each of its ranks, where nothing else is asked for.
[[nodiscard]] Experiment withStartedThreads(Experiment experiment);

/// A host for ranks of its own, or for the one rank that joins the others.
[[nodiscard]] HostProcessOptions hostForRanks();
[[nodiscard]] bool isJoined();

} // namespace shardscope::cli
