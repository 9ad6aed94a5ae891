// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"
#include "engine/plan/experiment.h"
#include "engine/plan/step.h"

#include <cstdint>
#include <vector>

namespace shardscope {

/// One message: rank `from` sends its current chunk(s) to `to`.
struct Transfer {
    int from = 0;
    int to = 0;
    int firstChunk = 0;
    int chunkCount = 1;      ///< consecutive chunks
    bool accumulate = false; ///< add into the receiver's chunk, or overwrite it
    bool operator==(const Transfer &) const = default;
};

/// All messages that may travel at the same time. A rank reads what it sends before anything that arrives in the same
/// hop changes it. When several addends arrive in one hop, all are summed in rank order with the receiver's own at its
/// place, so that every rank gets the same bits.
using Hop = std::vector<Transfer>;

/// Who sends which chunk to whom in which hop: executed, drawn and counted from the same data. Ranks are group ranks
/// 0..N-1. For all-gather rank r starts with chunk r alone; after reduce-scatter rank r holds the sum of chunk r.
struct HopSchedule {
    CollectiveOp op = CollectiveOp::AllReduce;
    Algorithm algorithm = Algorithm::Ring;
    int ranks = 1;
    int chunks = 1;
    std::vector<Hop> hops;
};

/// ring: reduce-scatter then all-gather, 2(N-1) hops. halving-doubling: powers of two, 2·log2 N hops. tree: binomial
/// reduce to rank 0, then broadcast, all-reduce only. direct: one hop, everything to every peer.
/// N = 1 has no hops; more than kMostHopRanks are not listed. A combination that is not allowed gives the reason.
/// `Library` is refused: nobody knows its hops.
[[nodiscard]] Expected<HopSchedule> hopSchedule(CollectiveOp op, Algorithm algorithm, int ranks);

/// The reason why `algorithm` cannot run `op` on `ranks`, with the algorithms that can; or nothing.
[[nodiscard]] std::optional<Text> algorithmProblem(CollectiveOp op, Algorithm algorithm, int ranks);

/// The schedule that the diagram plays for a collective; a library's collective is drawn as a ring and labelled
/// "schematic".
struct DrawnSchedule {
    HopSchedule schedule;
    bool schematic = false;
};
[[nodiscard]] DrawnSchedule drawnSchedule(const Collective &collective, int ranks);

/// Elements that each rank sends and receives in one hop.
struct HopElements {
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
};
/// The hop's load, of an array of `elements` elements cut into the schedule's chunks.
[[nodiscard]] HopElements elementsOfHop(const HopSchedule &schedule, const Hop &hop, std::int64_t elements);

/// Elements that `rank` sends over all hops.
[[nodiscard]] std::int64_t sentElements(const HopSchedule &schedule, int rank, std::int64_t elements);

/// The same of every rank.
[[nodiscard]] std::vector<std::int64_t> sentElementsByRank(const HopSchedule &schedule, std::int64_t elements);

/// What each rank of a ring sends, without listing its hops: all chunks but one, on each way. Of all-reduce, all-gather
/// and reduce-scatter.
[[nodiscard]] std::vector<std::int64_t> ringSentElements(CollectiveOp op, int ranks, std::int64_t elements);

/// Which contributions each chunk holds after `hops` hops: contributions[rank][chunk] is a bit set of ranks (N <= 64).
using Contributions = std::vector<std::vector<std::uint64_t>>;
[[nodiscard]] Contributions contributionsAfter(const HopSchedule &schedule, int hops);

} // namespace shardscope
