// SPDX-License-Identifier: MIT
#include "engine/record/timed_iterations.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardscope {

std::map<int, int> completeTimedIterations(const Run &run)
{
    std::map<int, std::set<int>> arrived;
    for (const IterationEvent &event : run.iterations) {
        if (!event.warmup)
            arrived[event.iteration].insert(event.rank);
    }
    std::map<int, int> rows;
    for (const auto &[iteration, ranks] : arrived) {
        if (static_cast<int>(ranks.size()) == run.experiment().ranks())
            rows.emplace(iteration, static_cast<int>(rows.size()));
    }
    return rows;
}

TimedIterations::TimedIterations(const Run &run)
    : m_recorded(run.recordedRanks()), m_places(static_cast<std::size_t>(run.experiment().ranks()))
{
    for (int rank = 0; rank < run.experiment().ranks(); ++rank) {
        const auto place = std::ranges::lower_bound(m_recorded, run.standIn(rank)) - m_recorded.begin();
        m_places[static_cast<std::size_t>(rank)] = static_cast<std::size_t>(place);
    }
    const std::map<int, int> rows = completeTimedIterations(run);
    m_count = static_cast<int>(rows.size());
    m_cells.resize(rows.size() * m_recorded.size());
    for (const IterationEvent &event : run.iterations) {
        const auto row = rows.find(event.iteration);
        if (!event.warmup && row != rows.end())
            m_cells[index(row->second, event.rank)].elapsedNs = event.endNs - event.startNs;
    }
    for (const SpanEvent &span : run.spans) {
        const auto row = rows.find(span.iteration);
        if (!span.warmup && row != rows.end())
            m_cells[index(row->second, span.rank)].spans.push_back(&span);
    }
    // A rank writes them in the order of the plan's steps, and what is overlapped begins before that.
    const auto earlier = [](const SpanEvent *a, const SpanEvent *b) { return a->startNs < b->startNs; };
    for (Cell &cell : m_cells)
        std::stable_sort(cell.spans.begin(), cell.spans.end(), earlier);
}

} // namespace shardscope
