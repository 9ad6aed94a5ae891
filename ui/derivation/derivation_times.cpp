// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/derivation/derivation_times.h"

#include "engine/record/hiding.h"
#include "engine/record/statistics.h"
#include "engine/simulate/simulate.h"
#include "ui/charts/number_format.h"
#include "ui/diagram/scene_list.h"
#include "ui/diagram/words.h"
#include "ui/run_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

/// A part of more than that share is what the time goes to.
constexpr double kDominates = 2.0 / 3;
constexpr double kNanoseconds = 1e9;

RunPtr runOf(const RunsByPhase &runs, Phase phase)
{
    const auto found = runs.find(phase);
    return found == runs.end() ? nullptr : found->second;
}

RunPtr whatRan(const Plan &plan, const Results &results)
{
    return results.stale ? nullptr : runOf(results.measured, plan.experiment.phase);
}

/// Whether the run's step of that number is this one: it may be a run of other settings, or a file's.
bool hasStep(const Run &run, const Step &step)
{
    const std::vector<Step> &steps = run.plan.steps;
    return steps.size() > static_cast<std::size_t>(step.id) &&
           steps[static_cast<std::size_t>(step.id)].label == step.label;
}

QString spread(const Distribution &time)
{
    if (time.samples < 2)
        return tr("%1, one step").arg(formatDuration(time.median));
    return tr("median %1 of %2 steps (p10 %3, p90 %4)")
        .arg(formatDuration(time.median))
        .arg(time.samples)
        .arg(formatDuration(time.p10), formatDuration(time.p90));
}

QString verdictWords(const CollectiveSummary &summary)
{
    const auto parts = [&](const QString &finding) {
        return tr("transfer %1, the rank that waited longest waited %2: %3")
            .arg(formatDuration(summary.transferNs), formatDuration(summary.waitNs), finding);
    };
    switch (summary.verdict) {
    case Verdict::Transfer:
        return parts(tr("the transfer dominates"));
    case Verdict::Waiting:
        return parts(tr("waiting dominates, the ranks arrive at different times"));
    case Verdict::Mixed:
        return parts(tr("both count"));
    case Verdict::Inconclusive:
        break;
    }
    return summary.transferNs ? parts(tr("too few steps to tell them apart"))
                              : tr("what its receiver waited and received");
}

QString timeCaption(const Run &run)
{
    return run.source == Source::Recorded ? tr("Time, recorded") : tr("Time, %1").arg(measuredWhere(run));
}

DerivationContent::Row ranRow(const Run &run, const CollectiveSummary &summary)
{
    DerivationContent::Row row{timeCaption(run), {}};
    row.lines << tr("%1, of each step the slowest rank, waiting included").arg(spread(*summary.duration));
    row.lines << verdictWords(summary);
    return row;
}

/// Of a machine whose latency and bandwidth are known the two parts can be told apart.
DerivationContent::Row predictedRow(const Plan &plan, const Step &step, const Run &run, const Hardware &machine)
{
    // Another machine may send another dtype.
    const Collective &collective = *run.plan.steps[static_cast<std::size_t>(step.id)].collective;
    const GroupSpan group = widestSpan(plan, step, machine);
    const double whole = collectiveSeconds(collective, group, machine) * kNanoseconds;
    const double latency = latencySeconds(collective, group, machine) * kNanoseconds;
    const QString finding = latency >= kDominates * whole         ? tr("latency dominates")
                            : latency <= (1 - kDominates) * whole ? tr("bandwidth dominates")
                                                                  : tr("both count");
    return {tr("Time, predicted for %1").arg(predictedMachine(run)),
            {tr("%1 = %2 latency + %3 for the bytes: %4")
                 .arg(formatDuration(whole), formatDuration(latency), formatDuration(whole - latency), finding)}};
}

/// By the run that `summary` is of.
void addHiding(std::vector<DerivationContent::Row> &rows, const Run &run, const RunSummary &summary, const Step &step)
{
    const auto found = std::ranges::find(summary.collectives, step.id, &CollectiveSummary::step);
    if (found == summary.collectives.end())
        return;
    if (const auto text = couldBeHidden(run, *found))
        rows.push_back({tr("Under compute"), {sentence(*text)}});
}

} // namespace

RunSummary summaryOfWhatRan(const Plan &plan, const Results &results)
{
    const RunPtr run = whatRan(plan, results);
    return run ? summarize(*run) : RunSummary();
}

std::vector<DerivationContent::Row> derivationTimes(const Plan &plan, const Step &step, const Results &results,
                                                    const RunSummary &summary)
{
    std::vector<DerivationContent::Row> rows;
    const RunPtr ran = whatRan(plan, results);
    const RunPtr predicted = runOf(results.predicted, plan.experiment.phase);
    if (!step.collective) {
        const RunPtr shown = ran ? ran : predicted;
        const QString time = shown ? timeCaption(plan, shown.get(), {step.id, -1, 0}) : QString();
        if (!time.isEmpty())
            rows.push_back({tr("Time"), {time}});
        return rows;
    }
    if (ran && hasStep(*ran, step)) {
        const auto found = std::ranges::find(summary.collectives, step.id, &CollectiveSummary::step);
        if (found != summary.collectives.end() && found->duration)
            rows.push_back(ranRow(*ran, *found));
    }
    if (predicted && results.machine && hasStep(*predicted, step))
        rows.push_back(predictedRow(plan, step, *predicted, *results.machine));
    if (ran && hasStep(*ran, step))
        addHiding(rows, *ran, summary, step);
    else if (predicted && hasStep(*predicted, step))
        addHiding(rows, *predicted, summarize(*predicted), step);
    return rows;
}

} // namespace shardscope
