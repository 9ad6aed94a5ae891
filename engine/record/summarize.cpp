// SPDX-License-Identifier: MIT
#include "engine/record/summary_parts.h"

#include <algorithm>

namespace shardscope {
namespace {

/// A run that says that it is done and has not one whole iteration has counted nothing.
bool endedWithoutData(const Run &run, const TimedIterations &iterations)
{
    return iterations.count() == 0 && run.end && run.end->status == EndEvent::Status::Done;
}

/// What was cut off before its checks has passed none of them. A prediction computes nothing that could be checked.
bool checkedToTheEnd(const Run &run)
{
    const bool done = run.end && run.end->status == EndEvent::Status::Done && !run.checks.empty();
    return done || run.isPrediction();
}

} // namespace

RunSummary summarize(const Run &run)
{
    const TimedIterations iterations(run);
    const CollectiveTable table(run, iterations);
    RunSummary summary;
    summary.iterations = iterations.count();
    summary.observedAsPlanned = !table.hasUnplanned() && !endedWithoutData(run, iterations);
    summary.collectives = summarizeCollectives(run, iterations, table, summary.observedAsPlanned);
    summarizePasses(run, iterations, table, summary);
    summary.pipeline = pipelineTimes(run, iterations);
    summary.checksPassed = checkedToTheEnd(run) && std::all_of(run.checks.begin(), run.checks.end(),
                                                               [](const CheckEvent &check) { return check.passed; });
    return summary;
}

} // namespace shardscope
