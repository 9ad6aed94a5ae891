// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/codec.h"
#include "engine/record/run.h"

#include <QtGlobal>

#include <functional>
#include <string>
#include <vector>

namespace shardscope::test {

/// A run of the experiment with nothing in it yet.
inline Run makeRun(const OptionValues &options, const std::string &backend = "gloo")
{
    RunEvent event;
    event.id = "1";
    event.startedAt = "2026-01-02T03:04:05+00:00";
    event.experiment = options;
    event.machine.backend = backend;
    event.machine.host = "2 cores";
    const Expected<Run> run = beginRun(event, nullptr);
    if (!run)
        qFatal("%s", english(run.problem()).c_str());
    return *run;
}

/// Nanoseconds that a step takes on a rank in an iteration.
using Durations = std::function<std::int64_t(const Step &step, int rank, int iteration)>;

inline constexpr std::int64_t kComputeNs = 100'000;

/// Compute steps take 100 us; collectives what is given.
inline Durations collectivesTake(std::function<std::int64_t(int rank, int iteration)> duration)
{
    return [duration](const Step &step, int rank, int iteration) {
        return step.collective ? duration(rank, iteration) : kComputeNs;
    };
}

/// The span of one step as a communicator that does what the plan says would report it.
inline SpanEvent spanOf(const Step &step, int rank, int iteration, std::int64_t startNs, std::int64_t durationNs)
{
    SpanEvent span;
    span.rank = rank;
    span.iteration = iteration;
    span.step = step.id;
    span.startNs = startNs;
    span.endNs = startNs + durationNs;
    if (step.collective) {
        span.op = name(step.collective->op);
        span.payloadBytes = step.collective->payloadBytes;
        span.sentBytes = step.collective->sentBytesPerRank;
        span.wireDtype = name(step.collective->wireDtype);
    }
    return span;
}

/// One iteration of every rank, its steps one after the other, from `startNs` on.
inline void addIteration(Run &run, int iteration, bool warmup, const Durations &durations, std::int64_t startNs = 1000)
{
    for (int rank = 0; rank < run.experiment().ranks(); ++rank) {
        std::int64_t now = startNs;
        for (const Step &step : run.plan.steps) {
            if (!run.plan.runs(step, rank))
                continue;
            SpanEvent span = spanOf(step, rank, iteration, now, durations(step, rank, iteration));
            span.warmup = warmup;
            now = span.endNs;
            run.append(span);
        }
        run.append(IterationEvent{rank, iteration, warmup, startNs, now});
    }
}

inline void addIterations(Run &run, int count, const Durations &durations)
{
    for (int iteration = 0; iteration < count; ++iteration)
        addIteration(run, iteration, false, durations);
}

/// Options of a small layer: payloads stay exact, plans short.
inline OptionValues layer(const std::string &scheme, const std::string &phase, int ranks)
{
    return {{"scheme", scheme}, {"phase", phase}, {"ranks", std::to_string(ranks)}};
}

} // namespace shardscope::test
