// SPDX-License-Identifier: MIT
#include "engine/record/pipeline_times.h"

#include "engine/record/collective_groups.h"
#include "engine/record/statistics.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shardscope {
namespace {

/// One rank's share of one iteration.
struct RankTimes {
    double chainNs = 0;
    double besideNs = 0;
    double stageWaitNs = 0;
    std::int64_t communicationNs = 0;
    [[nodiscard]] double busyNs() const { return chainNs + besideNs; }
};

/// The spans of one iteration, held against the plan.
class Iteration
{
public:
    Iteration(const Run &run, const TimedIterations &iterations, int number)
        : m_plan(run.plan), m_iterations(iterations)
    {
        for (const Step &step : m_plan.steps) {
            if (isMessage(step) && step.pass == Pass::Backward)
                m_handedOn[{step.stage, step.microBatch}] = step.id;
        }
        for (const int rank : iterations.recordedRanks())
            takeSends(rank, iterations.spans(number, rank));
        for (const int rank : iterations.recordedRanks())
            m_ranks.push_back(timesOf(rank, iterations.spans(number, rank)));
    }

    [[nodiscard]] const RankTimes &longestCommunication() const
    {
        return *std::ranges::max_element(m_ranks, {}, &RankTimes::communicationNs);
    }
    /// Of the stages that hand a gradient on; there is one, where there are stages.
    [[nodiscard]] const RankTimes &longestChain() const
    {
        const RankTimes *longest = nullptr;
        for (const int rank : m_iterations.recordedRanks()) {
            const RankTimes &times = m_ranks[m_iterations.placeOf(rank)];
            const bool hands = m_plan.mesh().coordinate(rank, MeshAxis::Pp) > 0;
            if (hands && (longest == nullptr || times.chainNs > longest->chainNs))
                longest = &times;
        }
        return *longest;
    }
    [[nodiscard]] double expectedBubble() const
    {
        const Experiment &e = m_plan.experiment;
        double sum = 0;
        double most = 0;
        for (int rank = 0; rank < e.ranks(); ++rank) {
            const double busy = m_ranks[m_iterations.placeOf(rank)].busyNs();
            sum += busy;
            most = std::max(most, busy);
        }
        const double chain = longestChain().chainNs / e.microBatches;
        const double whole = most + (e.extent(MeshAxis::Pp) - 1) * chain;
        return whole > 0 ? 1 - sum / e.ranks() / whole : 0;
    }
    /// Of every micro-batch of every stage, by direction: how long the stage was at it when the padding began.
    [[nodiscard]] const std::vector<double> &worksNs(bool forward) const { return forward ? m_forward : m_backward; }

private:
    using Key = std::pair<int, int>;
    using Spans = std::vector<const SpanEvent *>;

    [[nodiscard]] const Step &stepOf(const SpanEvent &span) const
    {
        return m_plan.steps[static_cast<std::size_t>(span.step)];
    }

    [[nodiscard]] int placeOf(int rank) const { return static_cast<int>(m_iterations.placeOf(rank)); }

    void takeSends(int rank, const Spans &spans)
    {
        for (const SpanEvent *span : spans) {
            if (isMessage(stepOf(*span)) && !receives(m_plan, stepOf(*span), rank))
                m_sendsBegan[{span->step, placeOf(rank)}] = span->startNs;
        }
    }

    [[nodiscard]] double waitOf(const SpanEvent &span, int rank) const
    {
        const Step &step = stepOf(span);
        if (!isMessage(step) || !receives(m_plan, step, rank))
            return 0;
        const auto began = m_sendsBegan.find({span.step, placeOf(groupOf(m_plan, step, rank).front())});
        if (began == m_sendsBegan.end())
            return 0;
        return static_cast<double>(std::clamp(began->second, span.startNs, span.endNs) - span.startNs);
    }

    /// Whether the stage had handed the gradient of that micro-batch on before.
    [[nodiscard]] bool isBeside(const Step &step) const
    {
        const auto handed = m_handedOn.find({step.stage, step.microBatch});
        return step.pass == Pass::Backward && handed != m_handedOn.end() && step.id > handed->second;
    }

    RankTimes timesOf(int rank, const Spans &spans)
    {
        RankTimes times;
        std::vector<Interval> communication;
        std::map<std::pair<int, bool>, std::int64_t> began;
        for (const SpanEvent *span : spans) {
            const Step &step = stepOf(*span);
            const auto length = static_cast<double>(span->endNs - span->startNs);
            times.stageWaitNs += waitOf(*span, rank);
            const bool forward = step.pass == Pass::Forward;
            if (!isMessage(step))
                began.try_emplace({step.microBatch, forward}, span->startNs);
            if (step.collective) {
                communication.push_back({span->startNs, span->endNs});
                continue;
            }
            (isBeside(step) ? times.besideNs : times.chainNs) += length;
            if (step.kind == StepKind::Pad)
                (forward ? m_forward : m_backward)
                    .push_back(static_cast<double>(span->startNs - began.at({step.microBatch, forward})));
        }
        times.communicationNs = unionLength(std::move(communication));
        return times;
    }

    const Plan &m_plan;
    const TimedIterations &m_iterations;
    std::map<Key, int> m_handedOn;            ///< stage, micro-batch: the message that takes its gradient away
    std::map<Key, std::int64_t> m_sendsBegan; ///< step, place of the sender
    std::vector<RankTimes> m_ranks;           ///< of the recorded ones, by place
    std::vector<double> m_forward;
    std::vector<double> m_backward;
};

Padding paddingOf(const std::vector<Iteration> &iterations, bool forward, double padMs)
{
    Padding padding{.paddedNs = padMs * 1e6};
    std::vector<double> longest;
    for (const Iteration &iteration : iterations) {
        const std::vector<double> &works = iteration.worksNs(forward);
        longest.push_back(works.empty() ? 0 : *std::ranges::max_element(works));
        padding.paddings += static_cast<int>(works.size());
        padding.tooShort +=
            static_cast<int>(std::ranges::count_if(works, [&](double ns) { return ns > padding.paddedNs; }));
    }
    padding.workNs = medianOf(std::move(longest)).value_or(0);
    return padding;
}

} // namespace

std::optional<PipelineTimes> pipelineTimes(const Run &run, const TimedIterations &iterations)
{
    const Experiment &e = run.experiment();
    if (e.extent(MeshAxis::Pp) < 2 || iterations.count() == 0)
        return std::nullopt;
    std::vector<Iteration> all;
    for (int number = 0; number < iterations.count(); ++number)
        all.emplace_back(run, iterations, number);
    const auto median = [&all](auto value) {
        std::vector<double> samples;
        for (const Iteration &iteration : all)
            samples.push_back(value(iteration));
        return medianOf(std::move(samples)).value_or(0);
    };
    PipelineTimes times;
    times.stageWaitNs = median([](const Iteration &i) { return i.longestCommunication().stageWaitNs; });
    times.chainNs = median([](const Iteration &i) { return i.longestChain().chainNs; }) / e.microBatches;
    times.besideNs = median([](const Iteration &i) { return i.longestChain().besideNs; });
    times.expectedBubble = median([](const Iteration &i) { return i.expectedBubble(); });
    if (e.stageDelay) {
        times.forward = paddingOf(all, true, e.stageDelay->forwardMs);
        if (e.phase == Phase::Training)
            times.backward = paddingOf(all, false, e.stageDelay->backwardMs);
    }
    return times;
}

} // namespace shardscope
