// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

namespace shardscope {

/// What a forked rank gets from its supervisor.
struct RankContext {
    int rank = 0;
    int worldSize = 1;
    int commandFd = -1;         ///< run and measure commands, one JSON line each; end of file: leave
    int eventFd = -1;           ///< events as JSON lines; each command ends with one EndEvent per rank
    std::string rendezvousPath; ///< FileStore path, fresh for this set of ranks
};

/// The life of a rank: joins the others, then serves commands until commandFd ends. Returns the exit status.
using RankMain = std::function<int(const RankContext &)>;

} // namespace shardscope
