// SPDX-License-Identifier: MIT
#pragma once

#include "tests/runtime/rank_harness.h"

#include "engine/plan/experiment_options.h"
#include "engine/plan/plan.h"
#include "engine/plan/traffic.h"
#include "engine/runtime/reference_check.h"

#include <QtTest>

#include <map>

namespace shardscope {

using PerRank = std::vector<std::vector<Event>>;

inline QByteArray label(const Experiment &experiment)
{
    return QByteArray::fromStdString(commandLine(experiment));
}

/// What the ranks said was wrong, for the test's log.
inline QByteArray complaints(const PerRank &events)
{
    QByteArray text;
    for (const auto &rank : events) {
        for (const MessageEvent &message : eventsOf<MessageEvent>(rank))
            text += QByteArray::fromStdString(english(message.text) + " (" + message.detail + ") ");
        for (const CheckEvent &check : eventsOf<CheckEvent>(rank))
            if (!check.passed)
                text += QByteArray::fromStdString(check.name) + ": " + QByteArray::number(check.relativeError) + " ";
    }
    return text;
}

/// The steps that the plan gives a rank, as its spans report them.
inline void compareSpan(const SpanEvent &span, const Step &step)
{
    QCOMPARE(span.step, step.id);
    QVERIFY(span.startNs <= span.endNs);
    if (!step.collective) {
        QVERIFY(span.op.empty());
        return;
    }
    QCOMPARE(span.op, std::string(name(step.collective->op)));
    QCOMPARE(span.payloadBytes, step.collective->payloadBytes);
    QVERIFY(span.sentBytes <= step.collective->sentBytesPerRank);
    QCOMPARE(span.wireDtype, std::string(name(step.collective->wireDtype)));
}

/// Ranks may send unequally (a tree); the plan gives the most.
inline void compareSent(const Plan &plan, const PerRank &events)
{
    std::map<int, std::int64_t> most;
    for (const auto &rank : events)
        for (const SpanEvent &span : eventsOf<SpanEvent>(rank))
            most[span.step] = std::max(most[span.step], span.sentBytes);
    for (const Step &step : plan.steps)
        QCOMPARE(most[step.id], step.collective ? step.collective->sentBytesPerRank : 0);
}

/// Whether the rank does nothing else meanwhile: an overlapped collective ends later, and a message is waited for where
/// it is needed.
inline bool blocks(const Step &step)
{
    return !step.collective || (!step.collective->overlapped && step.collective->op != CollectiveOp::SendRecv);
}

/// One span for each step that the rank runs, in the plan's order, and no two at once that block it.
inline void compareIterations(const Plan &plan, int rank, const std::vector<Event> &events)
{
    const Experiment &experiment = plan.experiment;
    std::vector<const Step *> steps;
    for (const Step &step : plan.steps)
        if (plan.runs(step, rank))
            steps.push_back(&step);
    const auto spans = eventsOf<SpanEvent>(events);
    const auto iterations = eventsOf<IterationEvent>(events);
    QCOMPARE(iterations.size(), std::size_t(experiment.steps + experiment.warmup));
    QCOMPARE(spans.size(), iterations.size() * steps.size());
    for (std::size_t i = 0; i < iterations.size(); ++i) {
        QCOMPARE(iterations[i].iteration, int(i));
        QCOMPARE(iterations[i].warmup, int(i) < experiment.warmup);
        std::int64_t before = iterations[i].startNs;
        for (std::size_t s = 0; s < steps.size(); ++s) {
            const SpanEvent &span = spans[i * steps.size() + s];
            QCOMPARE(span.rank, rank);
            compareSpan(span, *steps[s]);
            QVERIFY(iterations[i].startNs <= span.startNs && span.endNs <= iterations[i].endNs);
            if (!blocks(*steps[s]))
                continue;
            QVERIFY(before <= span.startNs);
            before = span.endNs;
        }
        QVERIFY(before <= iterations[i].endNs);
    }
}

/// All results and, where ranks hold the same, their agreement.
inline void compareChecks(const Plan &plan, const std::vector<Event> &events, bool expected)
{
    std::map<std::string, bool> passed;
    for (const CheckEvent &check : eventsOf<CheckEvent>(events))
        passed[check.name] = check.passed;
    bool all = true;
    for (const TensorId id : plan.results) {
        const Tensor &tensor = plan.tensor(id);
        QVERIFY2(passed.contains(tensor.name), tensor.name.c_str());
        all = all && passed[tensor.name];
        const bool replicated = isHeldTwice(tensor, plan.mesh());
        QCOMPARE(passed.contains("ranks agree: " + tensor.name), replicated);
        if (replicated)
            QVERIFY(passed["ranks agree: " + tensor.name]);
    }
    QCOMPARE(all, expected);
}

inline void compareRun(const Experiment &experiment, const PerRank &events, bool passes = true)
{
    const Plan plan = buildPlan(experiment);
    QCOMPARE(int(events.size()), experiment.ranks());
    for (int rank = 0; rank < experiment.ranks(); ++rank) {
        const std::vector<Event> &own = events[std::size_t(rank)];
        const auto ends = eventsOf<EndEvent>(own);
        QCOMPARE(ends.size(), std::size_t(1));
        QVERIFY2(ends.front().status == EndEvent::Status::Done, complaints(events));
        QVERIFY2(ends.front().exitCode == (passes ? 0 : 3), complaints(events));
        compareIterations(plan, rank, own);
    }
    compareSent(plan, events);
    compareChecks(plan, events.front(), passes);
    const auto memory = eventsOf<MemoryEvent>(events.front());
    QCOMPARE(memory.size(), std::size_t(1));
    QCOMPARE(memory.front().formulaBytesPerRank, peakBytesPerRank(plan));
    QVERIFY(memory.front().measuredBytesPerRank > 0);
}

} // namespace shardscope
