// SPDX-License-Identifier: MIT
#include "engine/record/collective_kinds.h"
#include "engine/record/summary_parts.h"
#include "engine/record/verdict.h"

#include <algorithm>
#include <cstdlib>

namespace shardscope {
namespace {

/// Per iteration: the maximum over ranks of duration and wait, and the transfer.
struct Samples {
    std::vector<double> durations;
    std::vector<double> transfers;
    std::vector<double> waits;
};

/// One collective of the plan against everything that the communicator counted for it.
class Observation
{
public:
    Observation(const Run &run, const TimedIterations &iterations, const CollectiveTable &table, const Step &step)
        : m_run(run), m_iterations(iterations), m_table(table), m_step(step)
    {
    }

    /// Calls `visit(iteration, rank, cell)` for every recorded rank that takes part: the step's stage, both ends of a
    /// message.
    template <typename Visit>
    void forEachCell(Visit visit) const
    {
        for (int iteration = 0; iteration < m_iterations.count(); ++iteration) {
            for (const int rank : m_iterations.recordedRanks()) {
                if (m_run.plan.runs(m_step, rank))
                    visit(iteration, rank, m_table.cell(m_step.id, iteration, rank));
            }
        }
    }

    /// The count per step; where ranks or iterations differ, the one farthest from the plan: a difference must show.
    [[nodiscard]] int count(int planned) const
    {
        int farthest = planned;
        forEachCell([&](int, int, const CollectiveTable::Cell &cell) {
            if (std::abs(cell.count - planned) > std::abs(farthest - planned))
                farthest = cell.count;
        });
        return farthest;
    }

    /// Whether every rank in every iteration counted what the plan says. Of the bytes sent only the maximum is
    /// planned: in a tree the ranks differ, and who receives a message sends nothing.
    [[nodiscard]] bool sameAsPlanned(const CollectiveSummary &summary) const
    {
        const Collective &planned = *m_step.collective;
        bool same = summary.sentBytesPerRank == planned.sentBytesPerRank;
        forEachCell([&](int, int rank, const CollectiveTable::Cell &cell) {
            same = same && cell.count == summary.plannedCount && cell.first->op == name(planned.op) &&
                   cell.payloadBytes == planned.payloadBytes * summary.plannedCount &&
                   (cell.sentBytes == 0 || !receives(m_run.plan, m_step, rank));
        });
        return same;
    }

    /// Of a message what its receiver waited and received: the sender's span is only the call that starts it.
    [[nodiscard]] Samples samples() const
    {
        const auto rows = static_cast<std::size_t>(m_iterations.count());
        Samples samples{std::vector<double>(rows), std::vector<double>(rows), std::vector<double>(rows)};
        forEachCell([&](int iteration, int rank, const CollectiveTable::Cell &cell) {
            if (isMessage(m_step) && !receives(m_run.plan, m_step, rank))
                return;
            const auto row = static_cast<std::size_t>(iteration);
            const auto raise = [row](std::vector<double> &values, std::int64_t ns) {
                values[row] = std::max(values[row], static_cast<double>(ns));
            };
            raise(samples.durations, cell.durationNs);
            raise(samples.transfers, m_table.transferNs(m_step.id, iteration, rank));
            raise(samples.waits, m_table.waitNs(m_step.id, iteration, rank));
        });
        return samples;
    }

private:
    const Run &m_run;
    const TimedIterations &m_iterations;
    const CollectiveTable &m_table;
    const Step &m_step;
};

/// Replaces the plan's sizes by what the communicator counted.
void takeObserved(const Observation &observation, CollectiveSummary &summary)
{
    summary.count = observation.count(summary.plannedCount);
    summary.payloadBytes = 0;
    summary.sentBytesPerRank = 0;
    observation.forEachCell([&](int, int, const CollectiveTable::Cell &cell) {
        if (cell.count == 0)
            return;
        summary.op = cell.first->op;
        summary.wireDtype = cell.first->wireDtype;
        summary.payloadBytes = std::max(summary.payloadBytes, cell.payloadBytes / cell.count);
        summary.sentBytesPerRank = std::max(summary.sentBytesPerRank, cell.sentBytes / cell.count);
    });
}

void takeCarried(const Run &run, CollectiveSummary &summary)
{
    const auto carried = std::ranges::find(run.carried, summary.step, &CarriedEvent::step);
    if (carried == run.carried.end())
        return;
    summary.algorithm = carried->algorithm;
    summary.protocol = carried->protocol;
}

/// A message has no transfer of its own: how long the receiver waited before it was sent, nobody knows without
/// comparing clocks. So it has neither bandwidth nor verdict.
void takeTimes(const Run &run, const Observation &observation, CollectiveSummary &summary)
{
    if (summary.count == 0)
        return;
    const Samples samples = observation.samples();
    summary.duration = distributionOf(samples.durations);
    if (isMessage(run.plan.steps[static_cast<std::size_t>(summary.step)]))
        return;
    summary.transferNs = medianOf(samples.transfers);
    summary.waitNs = medianOf(samples.waits);
    if (!summary.duration || !(*summary.transferNs > 0))
        return;
    summary.verdict = verdictOf(run, summary.step, summary.duration->samples, *summary.waitNs, *summary.transferNs);
    // Bytes per nanosecond are GB/s, GB = 1e9.
    summary.algbwGBs = static_cast<double>(summary.payloadBytes) * summary.count / *summary.transferNs;
    if (const auto factor = busFactor(summary.op, summary.groupSize))
        summary.busbwGBs = *summary.algbwGBs * *factor;
}

/// By step of the plan.
std::vector<int> observedHops(const Run &run)
{
    std::vector<int> hops(run.plan.steps.size(), 0);
    for (const HopEvent &hop : run.hops) {
        int &seen = hops[static_cast<std::size_t>(hop.step)];
        seen = std::max(seen, hop.hop + 1);
    }
    return hops;
}

} // namespace

std::vector<CollectiveSummary> summarizeCollectives(const Run &run, const TimedIterations &iterations,
                                                    const CollectiveTable &table, bool &asPlanned)
{
    const std::vector<int> hopsSeen = observedHops(run);
    std::vector<CollectiveSummary> summaries;
    for (const Step &step : run.plan.steps) {
        if (!communicates(run.plan, step))
            continue;
        CollectiveSummary &summary = summaries.emplace_back(plannedCollective(run.plan, step));
        if (const int hops = hopsSeen[static_cast<std::size_t>(step.id)]; hops > 0)
            summary.hops = hops;
        if (iterations.count() == 0)
            continue;
        const Observation observation(run, iterations, table, step);
        takeObserved(observation, summary);
        takeTimes(run, observation, summary);
        takeCarried(run, summary);
        asPlanned = asPlanned && observation.sameAsPlanned(summary);
    }
    return summaries;
}

} // namespace shardscope
