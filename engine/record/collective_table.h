// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/collective_groups.h"
#include "engine/record/timed_iterations.h"

#include <cstdint>
#include <vector>

namespace shardscope {

/// What the communicator counted, as a table step x iteration x recorded rank, and its transfer and wait. Refers to run
/// and iterations, which must outlive it.
class CollectiveTable
{
public:
    CollectiveTable(const Run &run, const TimedIterations &iterations);

    /// Sums over the collectives that one rank ran for one step of the plan in one iteration.
    struct Cell {
        int count = 0;
        std::int64_t durationNs = 0;
        std::int64_t payloadBytes = 0;
        std::int64_t sentBytes = 0;
        const SpanEvent *first = nullptr;
    };
    [[nodiscard]] const Cell &cell(int step, int iteration, int rank) const;
    /// The minimum over the ranks of the collective's group: nobody waited less, so it is the transfer
    /// (engine.md section 4; no clocks are compared). Of a message each end has its own duration: the sender only
    /// starts it, and what the receiver waits for is not told apart.
    [[nodiscard]] std::int64_t transferNs(int step, int iteration, int rank) const;
    [[nodiscard]] std::int64_t waitNs(int step, int iteration, int rank) const
    {
        return cell(step, iteration, rank).durationNs - transferNs(step, iteration, rank);
    }
    /// Steps for which the communicator counted something, or should have.
    [[nodiscard]] const std::vector<int> &steps() const { return m_steps; }
    /// Whether a collective ran that no step of the plan asks for, or on a rank that takes no part in it.
    [[nodiscard]] bool hasUnplanned() const { return m_unplanned; }

private:
    [[nodiscard]] std::size_t index(int step, int iteration, int rank) const;
    void listSteps();
    void add(int iteration, int rank);
    void findTransfers(int step);

    const Run &m_run;
    const TimedIterations &m_iterations;
    std::vector<int> m_steps;
    std::vector<int> m_slots; ///< step -> position in m_steps, -1 without collectives
    std::vector<Cell> m_cells;
    std::vector<std::int64_t> m_transfers;
    bool m_unplanned = false;
};

} // namespace shardscope
