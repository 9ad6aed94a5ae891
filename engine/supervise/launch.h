// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"
#include "engine/record/rank_main.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope {

/// This process as one of several ranks that something else has started.
struct Launch {
    std::string launcher; ///< "torchrun or by hand", "mpirun", "srun"
    int rank = 0;
    int worldSize = 1;
    int localRank = 0;
    int localWorldSize = 1; ///< ranks on this host
    StoreAddress store;

    [[nodiscard]] bool isFirst() const { return rank == 0; }
};

/// The value of an environment variable; nothing where it is unset or empty.
using Variables = std::function<std::optional<std::string>(const char *name)>;
[[nodiscard]] std::optional<std::string> environmentVariable(const char *name);

/// What the variables of torchrun, mpirun, other MPIs and srun say, in this order; nothing where none of them has
/// started this process as a rank. Batch systems set theirs for every program, so a single rank of theirs is none.
/// A problem is one of the variables: contradictory, no number, or one that is missing.
[[nodiscard]] Expected<std::optional<Launch>> readLaunch(const Variables &variable);

/// Whether this host knows the address and the network interface that the launch names.
[[nodiscard]] std::optional<Text> refuseNetwork(const Launch &launch);

/// The first host of SLURM's list: "a[1-3,7],b" -> "a1".
[[nodiscard]] std::string firstHost(std::string_view nodeList);
/// The tasks of node `index`: "2(x2),1" -> 2, 2, 1; 0 when it is not in the list.
[[nodiscard]] int tasksOfNode(std::string_view tasksPerNode, int index);

} // namespace shardscope
