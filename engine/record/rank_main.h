// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace shardscope {

/// Where ranks meet that were started one by one, perhaps on several hosts: a c10d TCPStore.
struct StoreAddress {
    std::string host;         ///< of rank 0
    int port = 0;             ///< where rank 0 serves; with `agentServes` torchrun's agent does
    bool agentServes = false; ///< a LibTorch that cannot speak to the agent's store serves on the next port instead
    std::string run;          ///< tells apart runs that meet at the same store
    std::string interface;    ///< as the user wants it; empty: the one that leads to the other ranks
    std::chrono::milliseconds limit{60000}; ///< for all ranks to come
    bool operator==(const StoreAddress &) const = default;
};

/// What a forked rank gets from its supervisor. Descriptors 0 and 1 are /dev/null and stderr by then.
struct RankContext {
    int rank = 0;
    int worldSize = 1;
    int commandFd = -1;           ///< run and measure commands, one JSON line each; end of file: leave
    int eventFd = -1;             ///< events as JSON lines; each command ends with one EndEvent per rank
    std::string rendezvousPath{}; ///< FileStore path, fresh for this set of ranks
    int threads = 1;              ///< compute threads where a command names none
    int localRank = 0;            ///< among the ranks of this host
    int localWorldSize = 1;       ///< ranks of this host
    /// Instead of the path, for ranks that were started one by one.
    std::optional<StoreAddress> store{};
};

/// The life of a rank: joins the others, then serves commands until commandFd ends. Returns the exit status.
///
/// - A run command carries every option resolved (threads, backend); only warnings and results go to eventFd, hello,
///   run and end of the whole command are the supervisor's.
/// - The rank's EndEvent: Done with exit code 0 (3: a check failed) or Failed with 2 (this machine lacks something,
///   every rank says the same) leaves the ranks usable; Failed with 4 means that the set of ranks is broken: it is
///   ended.
/// - What went wrong is one MessageEvent of level Error with the library's words in `detail`. Ids PeerLost and
///   CollectiveTimedOut say "somebody else is the cause"; the supervisor then looks for whom.
/// - A cancel command may arrive at any time. A rank that heeds it between iterations (all must agree) ends with status
///   Cancelled and lives on; otherwise the set is killed after 250 ms. Between commands it means nothing.
using RankMain = std::function<int(const RankContext &)>;

} // namespace shardscope
