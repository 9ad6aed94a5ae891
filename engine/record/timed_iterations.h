// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/run.h"

#include <cstdint>
#include <map>
#include <vector>

namespace shardscope {

/// Timed iterations of which every rank's record has arrived: number in the stream -> 0, 1, ...
[[nodiscard]] std::map<int, int> completeTimedIterations(const Run &run);

/// The timed iterations of which every rank's record has arrived, as a table iteration x recorded rank. Warm-ups and
/// iterations that are still running or were cut off are not in it. Refers to the run, which must outlive it.
class TimedIterations
{
public:
    explicit TimedIterations(const Run &run);

    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] int ranks() const { return static_cast<int>(m_places.size()); }
    /// Those with records of their own; the others do what one of them does.
    [[nodiscard]] const std::vector<int> &recordedRanks() const { return m_recorded; }
    /// The place of `rank`, or of who stands in for it, among them.
    [[nodiscard]] std::size_t placeOf(int rank) const { return m_places[static_cast<std::size_t>(rank)]; }
    /// In the order in which they began.
    [[nodiscard]] const std::vector<const SpanEvent *> &spans(int iteration, int rank) const
    {
        return m_cells[index(iteration, rank)].spans;
    }
    [[nodiscard]] std::int64_t elapsedNs(int iteration, int rank) const
    {
        return m_cells[index(iteration, rank)].elapsedNs;
    }

private:
    struct Cell {
        std::vector<const SpanEvent *> spans;
        std::int64_t elapsedNs = 0;
    };
    [[nodiscard]] std::size_t index(int iteration, int rank) const
    {
        return static_cast<std::size_t>(iteration) * m_recorded.size() + placeOf(rank);
    }

    std::vector<int> m_recorded;
    std::vector<std::size_t> m_places; ///< by rank
    int m_count = 0;
    std::vector<Cell> m_cells;
};

} // namespace shardscope
