// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope {

/// Bytes that every rank puts on the wire for every other one in one step of the plan: rows send, columns receive. The
/// library's own paths are not known: they are counted as in countedSchedule(), and so the communicators count them.
class TrafficMatrix
{
public:
    explicit TrafficMatrix(int ranks);

    [[nodiscard]] int ranks() const { return m_ranks; }
    [[nodiscard]] std::int64_t bytes(int from, int to) const { return m_bytes[index(from, to)]; }
    [[nodiscard]] std::int64_t sentBy(int rank) const;
    [[nodiscard]] std::int64_t receivedBy(int rank) const;
    /// Over all ranks.
    [[nodiscard]] std::int64_t total() const;
    /// The largest cell: what a colour scale ends at.
    [[nodiscard]] std::int64_t largest() const;
    void add(int from, int to, std::int64_t bytes) { m_bytes[index(from, to)] += bytes; }

private:
    [[nodiscard]] std::size_t index(int from, int to) const
    {
        return static_cast<std::size_t>(from) * static_cast<std::size_t>(m_ranks) + static_cast<std::size_t>(to);
    }

    int m_ranks;
    std::vector<std::int64_t> m_bytes;
};

/// What the plan's collectives move from rank to rank, all of them or those along one axis.
[[nodiscard]] TrafficMatrix trafficMatrix(const Plan &plan, std::optional<MeshAxis> axis = std::nullopt);

/// Which paths the matrix rests on: those of our own algorithms and of messages are known, the library's are counted.
struct CountedPaths {
    bool ownHops = false;
    bool messages = false; ///< from one rank to another
    bool asRing = false;   ///< the library's all-reduce, all-gather and reduce-scatter
    bool asChain = false;  ///< reduce and broadcast: from rank to rank, to the first or from it on
};
[[nodiscard]] CountedPaths countedPaths(const Plan &plan, std::optional<MeshAxis> axis = std::nullopt);

/// Bytes that each rank sends in one step of the plan; zeros where it takes no part.
[[nodiscard]] std::vector<std::int64_t> sentBytesByRank(const Plan &plan, const Step &step);

/// Bytes that the communicators counted as sent by each rank in one step; least and most over the timed steps.
struct ObservedTraffic {
    int steps = 0;
    std::vector<std::int64_t> least;
    std::vector<std::int64_t> most;
    /// Whether every rank sent in every step what `matrix` says.
    [[nodiscard]] bool agreesWith(const TrafficMatrix &matrix) const;
};
/// Of a run with a complete timed step; nothing of predictions.
[[nodiscard]] std::optional<ObservedTraffic> observedTraffic(const Run &run,
                                                             std::optional<MeshAxis> axis = std::nullopt);

} // namespace shardscope
