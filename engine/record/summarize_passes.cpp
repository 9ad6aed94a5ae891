// SPDX-License-Identifier: MIT
#include "engine/record/summary_parts.h"

#include "engine/plan/traffic.h"

#include <algorithm>
#include <functional>

namespace shardscope {
namespace {

using PassFilter = std::function<bool(Pass)>;

/// One rank's share of one iteration.
struct RankTotals {
    int collectives = 0;
    std::int64_t payloadBytes = 0;
    std::int64_t sentBytes = 0;
    std::int64_t communicationNs = 0;
    std::int64_t hiddenNs = 0;
    std::int64_t computeNs = 0;
    std::int64_t elapsedNs = 0;
    std::int64_t waitNs = 0;
};

bool isCommunication(const Run &run, const SpanEvent &span)
{
    return !span.op.empty() || run.plan.steps[static_cast<std::size_t>(span.step)].kind == StepKind::Collective;
}

/// Sums up the spans of the passes that the filter lets through.
class PassTotals
{
public:
    PassTotals(const Run &run, const TimedIterations &iterations, const CollectiveTable &table, PassFilter filter);

    [[nodiscard]] PassSummary summary() const;
    /// Per iteration the maximum over ranks of one of the times.
    [[nodiscard]] std::vector<double> samples(const std::function<std::int64_t(const RankTotals &)> &time) const;

private:
    [[nodiscard]] bool counts(const SpanEvent &span) const
    {
        return m_filter(m_run.plan.steps[static_cast<std::size_t>(span.step)].pass);
    }
    [[nodiscard]] RankTotals ofRank(int iteration, int rank) const;

    const Run &m_run;
    const TimedIterations &m_iterations;
    const CollectiveTable &m_table;
    PassFilter m_filter;
    std::vector<std::vector<RankTotals>> m_totals; ///< iteration, rank
};

void addCollective(RankTotals &totals, const SpanEvent &span)
{
    totals.collectives += 1;
    totals.payloadBytes += span.payloadBytes;
    totals.sentBytes += span.sentBytes;
}

RankTotals PassTotals::ofRank(int iteration, int rank) const
{
    RankTotals totals;
    std::vector<Interval> communication;
    std::vector<Interval> compute;
    std::vector<Interval> anyCompute; // another pass may hide this pass's communication
    Interval extent;
    bool first = true;
    for (const SpanEvent *span : m_iterations.spans(iteration, rank)) {
        const Interval interval{span->startNs, span->endNs};
        const bool communicates = isCommunication(m_run, *span);
        if (!communicates)
            anyCompute.push_back(interval);
        if (!counts(*span))
            continue;
        (communicates ? communication : compute).push_back(interval);
        if (!span->op.empty())
            addCollective(totals, *span);
        extent =
            first ? interval : Interval{std::min(extent.begin, interval.begin), std::max(extent.end, interval.end)};
        first = false;
    }
    totals.communicationNs = unionLength(communication);
    totals.hiddenNs = coveredLength(communication, anyCompute);
    totals.computeNs = unionLength(compute);
    totals.elapsedNs = extent.end - extent.begin;
    for (const int step : m_table.steps()) {
        if (m_filter(m_run.plan.steps[static_cast<std::size_t>(step)].pass))
            totals.waitNs += m_table.waitNs(step, iteration, rank);
    }
    return totals;
}

PassTotals::PassTotals(const Run &run, const TimedIterations &iterations, const CollectiveTable &table,
                       PassFilter filter)
    : m_run(run), m_iterations(iterations), m_table(table), m_filter(std::move(filter)),
      m_totals(static_cast<std::size_t>(iterations.count()))
{
    for (int iteration = 0; iteration < m_iterations.count(); ++iteration) {
        for (int rank = 0; rank < m_iterations.ranks(); ++rank)
            m_totals[static_cast<std::size_t>(iteration)].push_back(ofRank(iteration, rank));
    }
}

std::vector<double> PassTotals::samples(const std::function<std::int64_t(const RankTotals &)> &time) const
{
    std::vector<double> samples;
    for (const auto &ranks : m_totals) {
        std::int64_t longest = 0;
        for (const RankTotals &totals : ranks)
            longest = std::max(longest, time(totals));
        samples.push_back(static_cast<double>(longest));
    }
    return samples;
}

PassSummary PassTotals::summary() const
{
    PassSummary summary;
    for (const auto &ranks : m_totals) {
        for (const RankTotals &totals : ranks) {
            summary.collectives = std::max(summary.collectives, totals.collectives);
            summary.payloadBytes = std::max(summary.payloadBytes, totals.payloadBytes);
            summary.sentBytesPerRank = std::max(summary.sentBytesPerRank, totals.sentBytes);
        }
    }
    const auto median = [this](auto time) { return medianOf(samples(time)); };
    summary.communicationNs = median([](const RankTotals &t) { return t.communicationNs; });
    summary.exposedNs = median([](const RankTotals &t) { return t.communicationNs - t.hiddenNs; });
    summary.hiddenNs = median([](const RankTotals &t) { return t.hiddenNs; });
    summary.computeNs = median([](const RankTotals &t) { return t.computeNs; });
    summary.elapsedNs = median([](const RankTotals &t) { return t.elapsedNs; });
    summary.waitNs = median([](const RankTotals &t) { return t.waitNs; });
    return summary;
}

PassSummary fromPlan(const Plan &plan, const PassFilter &filter)
{
    const Traffic planned = traffic(plan);
    PassSummary summary;
    for (std::size_t pass = 0; pass < kPassCount; ++pass) {
        if (!filter(static_cast<Pass>(pass)))
            continue;
        summary.collectives += planned.passes[pass].collectives;
        summary.payloadBytes += planned.passes[pass].payloadBytes;
        summary.sentBytesPerRank += planned.passes[pass].sentBytesPerRank;
    }
    return summary;
}

std::vector<double> stepElapsedSamples(const TimedIterations &iterations)
{
    std::vector<double> samples;
    for (int iteration = 0; iteration < iterations.count(); ++iteration) {
        std::int64_t longest = 0;
        for (int rank = 0; rank < iterations.ranks(); ++rank)
            longest = std::max(longest, iterations.elapsedNs(iteration, rank));
        samples.push_back(static_cast<double>(longest));
    }
    return samples;
}

} // namespace

void summarizePasses(const Run &run, const TimedIterations &iterations, const CollectiveTable &table,
                     RunSummary &summary)
{
    const auto summarizeThe = [&](const PassFilter &filter) {
        // Before anything is measured the plan's counts stand, without times.
        return iterations.count() == 0 ? fromPlan(run.plan, filter)
                                       : PassTotals(run, iterations, table, filter).summary();
    };
    for (std::size_t pass = 0; pass < kPassCount; ++pass)
        summary.passes[pass] = summarizeThe([pass](Pass p) { return p == static_cast<Pass>(pass); });
    summary.withoutOptimizer = summarizeThe([](Pass p) { return p != Pass::Optimizer; });

    const PassFilter everything = [](Pass) { return true; };
    summary.step = summarizeThe(everything);
    summary.stepElapsed = distributionOf(stepElapsedSamples(iterations));
    const PassTotals step(run, iterations, table, everything);
    summary.stepCommunication = distributionOf(step.samples([](const RankTotals &t) { return t.communicationNs; }));
    if (summary.stepElapsed)
        summary.step.elapsedNs = summary.stepElapsed->median; // from the barrier on, not from the first operation
}

} // namespace shardscope
