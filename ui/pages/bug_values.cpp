// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/bug_values.h"

#include "engine/plan/experiment_options.h"
#include "ui/panels/snap.h"

#include <algorithm>

namespace shardscope {

namespace {

/// An error does not change from step to step: one timed step shows it.
constexpr int kSteps = 2;
constexpr int kWarmup = 1;

/// Copies on several ranks are compared bit by bit: that is no error of a result.
bool isOfResult(const CheckEvent &check)
{
    return check.limit > 0;
}

std::vector<BugResult> resultsOf(const Plan &plan, const Run *run)
{
    std::vector<BugResult> results;
    for (const ExpectedError &expected : expectedErrors(plan)) {
        BugResult result;
        result.name = QString::fromStdString(expected.result);
        result.law = expected.law;
        result.expected = expected.value;
        results.push_back(result);
    }
    if (!run)
        return results;
    for (const CheckEvent &check : run->checks) {
        if (!isOfResult(check))
            continue;
        const QString name = QString::fromStdString(check.name);
        auto known = std::ranges::find(results, name, &BugResult::name);
        if (known == results.end())
            known = results.insert(results.end(), BugResult{name, {}, {}, {}});
        known->error = check.relativeError;
        known->limit = check.limit;
        known->passed = check.passed;
    }
    std::ranges::stable_partition(results, &BugResult::wrong);
    return results;
}

/// Only a whole run has made its checks.
RunPtr checked(RunPtr run)
{
    return run && !run->isPrediction() && !run->checks.empty() ? run : nullptr;
}

} // namespace

std::vector<BugResult> BugCase::wrongResults() const
{
    std::vector<BugResult> wrong;
    std::ranges::copy_if(results, std::back_inserter(wrong), &BugResult::wrong);
    return wrong;
}

void BugCase::lookUp(const RunLookups &runs)
{
    refusal = runs.refusal(experiment);
    run = checked(runs.measured(experiment));
    results = resultsOf(*plan, run.get());
}

void BugLabValues::choose(Scheme bug)
{
    const auto found = std::ranges::find(cases, bug, &BugCase::scheme);
    chosen = found == cases.end() ? 0 : static_cast<std::size_t>(found - cases.begin());
}

Experiment bugExperiment(const Experiment &workbench, Scheme bug, QString *hint)
{
    Experiment wanted = workbench;
    wanted.scheme = bug;
    wanted.phase = Phase::Training; // where it shows most; snapping knows those that show in prefill alone
    wanted.mesh = meshAlong(MeshAxis::Tp, workbench.ranks());
    wanted.steps = kSteps;
    wanted.warmup = kWarmup;
    wanted.delay.reset();
    Snapped snapped = snap(wanted);
    if (!snapped.valid) {
        // No size near the workbench's shows it: those of the program do.
        Experiment defaults;
        defaults.scheme = bug;
        defaults.steps = kSteps;
        defaults.warmup = kWarmup;
        snapped = snap(defaults);
    }
    if (hint)
        *hint = snapped.hint;
    return inItsPhase(snapped.experiment);
}

BugCase bugCase(const PageInput &input, Scheme bug)
{
    BugCase result;
    result.experiment = bugExperiment(input.experiment, bug, &result.hint);
    const Transport transport = input.plan ? input.plan->transport : Transport::Gloo;
    result.plan = std::make_shared<const Plan>(buildPlan(result.experiment, transport));
    if (const auto right = rightExperiment(*result.plan))
        result.right = std::make_shared<const Plan>(buildPlan(*right, transport));
    result.mistakes = mistakesOf(*result.plan);
    result.ratio = trainingToPrefillBytes(result.experiment, transport);
    result.lookUp(input.runs);
    return result;
}

BugLabValues bugLabValues(const PageInput &input, Scheme chosen)
{
    BugLabValues values;
    for (const Scheme bug : bugSchemes())
        values.cases.push_back(bugCase(input, bug));
    values.choose(chosen);
    return values;
}

} // namespace shardscope
