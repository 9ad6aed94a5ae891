// SPDX-License-Identifier: MIT
#include "engine/record/summary_parts.h"

#include "engine/record/traffic_matrix.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

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
    /// Per iteration 1 - computing / (ranks x step time).
    [[nodiscard]] std::vector<double> bubbleShares() const;
    /// Per iteration the maximum over ranks of one of the times.
    [[nodiscard]] std::vector<double> samples(const std::function<std::int64_t(const RankTotals &)> &time) const;

private:
    [[nodiscard]] bool counts(const SpanEvent &span) const
    {
        return m_filter(m_run.plan.steps[static_cast<std::size_t>(span.step)].pass);
    }
    [[nodiscard]] RankTotals ofRank(int iteration, int rank) const;
    /// Per iteration what is hidden of the longest communication.
    [[nodiscard]] std::vector<double> hiddenSamples() const;

    const Run &m_run;
    const TimedIterations &m_iterations;
    const CollectiveTable &m_table;
    PassFilter m_filter;
    std::vector<std::vector<RankTotals>> m_totals; ///< iteration, recorded rank
};

/// Where the rank was at the passes that count. Forward and backward of micro-batches alternate, and recomputation
/// stands inside backward: a stretch ends where another pass begins.
class Stretches
{
public:
    void take(const Interval &span, bool counts)
    {
        if (!counts) {
            close();
            return;
        }
        m_open = m_open ? Interval{m_open->begin, std::max(m_open->end, span.end)} : span;
    }
    [[nodiscard]] std::int64_t length()
    {
        close();
        return unionLength(m_closed);
    }

private:
    void close()
    {
        if (m_open)
            m_closed.push_back(*m_open);
        m_open.reset();
    }

    std::optional<Interval> m_open;
    std::vector<Interval> m_closed;
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
    Stretches stretches;
    for (const SpanEvent *span : m_iterations.spans(iteration, rank)) {
        const Interval interval{span->startNs, span->endNs};
        const bool communicates = isCommunication(m_run, *span);
        if (!communicates)
            anyCompute.push_back(interval);
        stretches.take(interval, counts(*span));
        if (!counts(*span))
            continue;
        (communicates ? communication : compute).push_back(interval);
        if (!span->op.empty())
            addCollective(totals, *span);
    }
    totals.communicationNs = unionLength(communication);
    totals.hiddenNs = coveredLength(communication, anyCompute);
    totals.computeNs = unionLength(compute);
    totals.elapsedNs = stretches.length();
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
        for (const int rank : m_iterations.recordedRanks())
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

/// Counts of the rank with the largest sum.
void raise(PassSummary &summary, const RankTotals &totals)
{
    summary.collectives = std::max(summary.collectives, totals.collectives);
    summary.payloadBytes = std::max(summary.payloadBytes, totals.payloadBytes);
    summary.sentBytesPerRank = std::max(summary.sentBytesPerRank, totals.sentBytes);
}

std::vector<double> PassTotals::hiddenSamples() const
{
    std::vector<double> samples;
    for (const auto &ranks : m_totals) {
        const auto longest = std::ranges::max_element(ranks, {}, &RankTotals::communicationNs);
        samples.push_back(static_cast<double>(longest->hiddenNs));
    }
    return samples;
}

std::vector<double> PassTotals::bubbleShares() const
{
    const int ranks = m_iterations.ranks();
    std::vector<double> shares;
    for (int iteration = 0; iteration < m_iterations.count(); ++iteration) {
        const std::vector<RankTotals> &totals = m_totals[static_cast<std::size_t>(iteration)];
        double busy = 0;
        std::int64_t step = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            busy += static_cast<double>(totals[m_iterations.placeOf(rank)].computeNs);
            step = std::max(step, m_iterations.elapsedNs(iteration, rank));
        }
        if (step > 0)
            shares.push_back(1 - busy / (static_cast<double>(step) * ranks));
    }
    return shares;
}

PassSummary PassTotals::summary() const
{
    PassSummary summary;
    for (const auto &ranks : m_totals) {
        for (const RankTotals &totals : ranks)
            raise(summary, totals);
    }
    const auto median = [this](auto time) { return medianOf(samples(time)); };
    summary.communicationNs = median([](const RankTotals &t) { return t.communicationNs; });
    summary.hiddenNs = medianOf(hiddenSamples());
    if (summary.communicationNs)
        summary.exposedNs = *summary.communicationNs - *summary.hiddenNs;
    summary.computeNs = median([](const RankTotals &t) { return t.computeNs; });
    summary.elapsedNs = median([](const RankTotals &t) { return t.elapsedNs; });
    summary.waitNs = median([](const RankTotals &t) { return t.waitNs; });
    return summary;
}

/// What the plan lets each rank send, pass by pass: ranks of one tree, of several stages, and the ends of a message
/// differ.
class PlannedTotals
{
public:
    explicit PlannedTotals(const Plan &plan) : m_ranks(static_cast<std::size_t>(plan.mesh().size()))
    {
        for (const Step &step : plan.steps) {
            if (communicates(plan, step))
                add(plan, step);
        }
    }

    [[nodiscard]] PassSummary summary(const PassFilter &filter) const
    {
        PassSummary most;
        for (const PerPass &passes : m_ranks) {
            RankTotals sum;
            for (std::size_t pass = 0; pass < kPassCount; ++pass) {
                if (!filter(static_cast<Pass>(pass)))
                    continue;
                sum.collectives += passes[pass].collectives;
                sum.payloadBytes += passes[pass].payloadBytes;
                sum.sentBytes += passes[pass].sentBytes;
            }
            raise(most, sum);
        }
        return most;
    }

private:
    using PerPass = std::array<RankTotals, kPassCount>;

    void add(const Plan &plan, const Step &step)
    {
        const std::vector<std::int64_t> sent = sentBytesByRank(plan, step);
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            if (!plan.runs(step, static_cast<int>(rank)))
                continue;
            RankTotals &totals = m_ranks[rank][static_cast<std::size_t>(step.pass)];
            totals.collectives += 1;
            totals.payloadBytes += step.collective->payloadBytes;
            totals.sentBytes += sent[rank];
        }
    }

    std::vector<PerPass> m_ranks;
};

std::vector<double> stepElapsedSamples(const TimedIterations &iterations)
{
    std::vector<double> samples;
    for (int iteration = 0; iteration < iterations.count(); ++iteration) {
        std::int64_t longest = 0;
        for (const int rank : iterations.recordedRanks())
            longest = std::max(longest, iterations.elapsedNs(iteration, rank));
        samples.push_back(static_cast<double>(longest));
    }
    return samples;
}

} // namespace

void summarizePasses(const Run &run, const TimedIterations &iterations, const CollectiveTable &table,
                     RunSummary &summary)
{
    // Before anything is measured the plan's counts stand, without times.
    std::optional<PlannedTotals> planned;
    if (iterations.count() == 0)
        planned.emplace(run.plan);
    const auto summarizeThe = [&](const PassFilter &filter) {
        return planned ? planned->summary(filter) : PassTotals(run, iterations, table, filter).summary();
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
    if (run.experiment().extent(MeshAxis::Pp) > 1)
        summary.step.bubbleShare = medianOf(step.bubbleShares());
}

} // namespace shardscope
