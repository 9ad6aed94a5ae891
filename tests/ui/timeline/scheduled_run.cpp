// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/timeline/scheduled_run.h"

#include "ui/diagram/collective_scene.h"

#include <algorithm>
#include <map>

namespace shardscope {
namespace {

constexpr std::int64_t kComputeNs = 4'000'000;
constexpr std::int64_t kCollectiveNs = 6'000'000;

/// When each rank is free, and when it ended which step.
struct Clocks {
    std::map<int, std::int64_t> compute;
    std::map<int, std::int64_t> communication;
    std::map<std::pair<int, int>, std::int64_t> ended;

    [[nodiscard]] std::int64_t ready(const Step &step, int rank) const
    {
        std::int64_t at = 0;
        for (const int before : step.dependsOn) {
            if (const auto end = ended.find({before, rank}); end != ended.end())
                at = std::max(at, end->second);
        }
        return at;
    }
};

void addSpan(Run &run, Clocks &clocks, const Step &step, int rank, std::int64_t start, std::int64_t end)
{
    SpanEvent span;
    span.rank = rank, span.step = step.id, span.startNs = start, span.endNs = end;
    if (step.collective) {
        span.op = name(step.collective->op);
        span.payloadBytes = step.collective->payloadBytes;
        span.sentBytes = step.collective->sentBytesPerRank;
        span.wireDtype = "f32";
    }
    clocks.ended[{step.id, rank}] = end;
    clocks.communication[rank] = std::max(clocks.communication[rank], end);
    if (!step.collective || !step.collective->overlapped)
        clocks.compute[rank] = end;
    run.append(span);
}

void addCollective(Run &run, Clocks &clocks, const Step &step)
{
    const std::vector<std::vector<int>> groups = collectiveScene(run.plan, Scene{step.id, 0, 1})->groups;
    for (const std::vector<int> &group : groups) {
        std::map<int, std::int64_t> start;
        std::int64_t last = 0;
        for (const int rank : group) {
            const auto &free = step.collective->overlapped ? clocks.communication : clocks.compute;
            const auto at = free.find(rank);
            start[rank] = std::max(at == free.end() ? 0 : at->second, clocks.ready(step, rank));
            last = std::max(last, start[rank]);
        }
        for (const int rank : group)
            addSpan(run, clocks, step, rank, start[rank], last + kCollectiveNs);
    }
}

} // namespace

Run scheduledRun(const Plan &plan)
{
    Run run;
    run.id = "scheduled";
    run.startedAt = "2026-03-02T10:00:00+01:00";
    run.machine.backend = "gloo";
    run.machine.host = "4 cores";
    run.plan = plan;
    Clocks clocks;
    for (const Step &step : plan.steps) {
        if (step.collective) {
            addCollective(run, clocks, step);
            continue;
        }
        for (int rank = 0; rank < plan.mesh().size(); ++rank) {
            if (!plan.runs(step, rank))
                continue;
            const std::int64_t start = std::max(clocks.compute[rank], clocks.ready(step, rank));
            addSpan(run, clocks, step, rank, start, start + kComputeNs);
        }
    }
    for (int rank = 0; rank < plan.mesh().size(); ++rank)
        run.append(IterationEvent{rank, 0, false, 0, std::max(clocks.compute[rank], clocks.communication[rank])});
    return run;
}

} // namespace shardscope
