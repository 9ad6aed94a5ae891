// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/hop_schedule.h"
#include "engine/plan/plan.h"

#include <vector>

namespace shardscope {

/// The ranks that run the collective of `step` together with `rank`, in the order of the group: along its mesh axis, or
/// the replicas among them; sender and receiver of a message. Only of a rank that runs the step.
[[nodiscard]] std::vector<int> groupOf(const Plan &plan, const Step &step, int rank);

/// All groups that run the step, each once.
[[nodiscard]] std::vector<std::vector<int>> groupsOf(const Plan &plan, const Step &step);

/// Whether the step is a collective that has somebody to talk to: at N = 1 none is.
[[nodiscard]] bool communicates(const Plan &plan, const Step &step);

/// A message from one rank to another, whose two ends see different things.
[[nodiscard]] bool isMessage(const Step &step);
/// Whether `rank` is the one that gets the message: it puts nothing on the wire.
[[nodiscard]] bool receives(const Plan &plan, const Step &step, int rank);

/// Who sends how much to whom, for counting: our own algorithms by their hops; the library's as a ring, a reduce and a
/// broadcast as a chain that ends or begins at the group's first rank, which is how the communicator counts them.
[[nodiscard]] HopSchedule countedSchedule(const Collective &collective, int ranks);

} // namespace shardscope
