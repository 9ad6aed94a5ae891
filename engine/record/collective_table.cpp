// SPDX-License-Identifier: MIT
#include "engine/record/collective_table.h"

#include <algorithm>

namespace shardscope {

CollectiveTable::CollectiveTable(const Run &run, const TimedIterations &iterations)
    : m_run(run), m_iterations(iterations), m_slots(run.plan.steps.size(), -1)
{
    listSteps();
    m_cells.resize(m_steps.size() * static_cast<std::size_t>(iterations.count()) * iterations.recordedRanks().size());
    m_transfers.resize(m_cells.size());
    for (int iteration = 0; iteration < iterations.count(); ++iteration) {
        for (const int rank : iterations.recordedRanks())
            add(iteration, rank);
    }
    for (const int step : m_steps)
        findTransfers(step);
}

std::size_t CollectiveTable::index(int step, int iteration, int rank) const
{
    const auto size = [](int value) { return static_cast<std::size_t>(value); };
    const std::size_t row = size(m_slots[size(step)]) * size(m_iterations.count()) + size(iteration);
    return row * m_iterations.recordedRanks().size() + m_iterations.placeOf(rank);
}

const CollectiveTable::Cell &CollectiveTable::cell(int step, int iteration, int rank) const
{
    return m_cells[index(step, iteration, rank)];
}

std::int64_t CollectiveTable::transferNs(int step, int iteration, int rank) const
{
    return m_transfers[index(step, iteration, rank)];
}

void CollectiveTable::listSteps()
{
    for (const Step &step : m_run.plan.steps) {
        if (communicates(m_run.plan, step))
            m_slots[static_cast<std::size_t>(step.id)] = 0;
    }
    for (const SpanEvent &span : m_run.spans) {
        int &slot = m_slots[static_cast<std::size_t>(span.step)];
        if (span.op.empty())
            continue;
        const Step &step = m_run.plan.steps[static_cast<std::size_t>(span.step)];
        m_unplanned |= !span.warmup && (slot < 0 || !m_run.plan.runs(step, span.rank));
        slot = std::max(slot, 0);
    }
    for (std::size_t step = 0; step < m_slots.size(); ++step) {
        if (m_slots[step] < 0)
            continue;
        m_slots[step] = static_cast<int>(m_steps.size());
        m_steps.push_back(static_cast<int>(step));
    }
}

void CollectiveTable::add(int iteration, int rank)
{
    for (const SpanEvent *span : m_iterations.spans(iteration, rank)) {
        if (span->op.empty())
            continue;
        Cell &cell = m_cells[index(span->step, iteration, rank)];
        ++cell.count;
        cell.durationNs += span->endNs - span->startNs;
        cell.payloadBytes += span->payloadBytes;
        cell.sentBytes += span->sentBytes;
        if (!cell.first)
            cell.first = span;
    }
}

void CollectiveTable::findTransfers(int step)
{
    const Step &planned = m_run.plan.steps[static_cast<std::size_t>(step)];
    for (const int rank : m_iterations.recordedRanks()) {
        const bool inGroup = planned.collective && !isMessage(planned) && m_run.plan.runs(planned, rank);
        const std::vector<int> group = inGroup ? groupOf(m_run.plan, planned, rank) : std::vector{rank};
        for (int iteration = 0; iteration < m_iterations.count(); ++iteration) {
            std::int64_t least = cell(step, iteration, rank).durationNs;
            for (const int peer : group) {
                if (cell(step, iteration, peer).count > 0)
                    least = std::min(least, cell(step, iteration, peer).durationNs);
            }
            m_transfers[index(step, iteration, rank)] = least;
        }
    }
}

} // namespace shardscope
