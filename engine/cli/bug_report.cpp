// SPDX-License-Identifier: MIT
#include "engine/cli/bug_report.h"

#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/plan/traffic.h"
#include "engine/record/bug_lab.h"
#include "engine/record/format.h"

#include <optional>
#include <vector>

namespace shardscope::cli {
namespace {

std::string errorsTable(const std::map<Phase, Run> &runs, const Console &console)
{
    TextTable table({{.title = "phase"},
                     {.title = "result"},
                     {.title = "relative error", .right = true},
                     {.title = "limit", .right = true, .importance = 5},
                     {.title = ""}});
    for (const auto &[phase, run] : runs) {
        std::string title(name(phase));
        for (const CheckEvent &check : run.checks) {
            table.add({title, check.name,
                       check.passed ? scientificText(check.relativeError) : formatNumber(check.relativeError),
                       check.limit > 0 ? scientificText(check.limit) : "bit for bit",
                       check.passed ? console.good("passed") : console.bad("FAILED")});
            title.clear();
        }
    }
    return table.empty() ? "" : table.text(console);
}

std::string sentText(const Plan &plan)
{
    const Traffic sent = traffic(plan);
    std::string text;
    for (const Pass pass : {Pass::Forward, Pass::Backward}) {
        const PassTraffic &here = sent.passes[static_cast<std::size_t>(pass)];
        addToList(text, std::string(name(pass)) + ' ' + bytesText(here.sentBytesPerRank));
    }
    return text;
}

std::string ratioLine(const std::map<Phase, Run> &runs)
{
    const auto training = runs.find(Phase::Training);
    if (training == runs.end() || !runs.contains(Phase::Prefill))
        return "";
    const Plan &plan = training->second.plan;
    const std::optional<double> ratio = trainingToPrefillBytes(plan.experiment, plan.transport);
    return ratio ? english(ratioOfBug(plan.experiment, *ratio)) : "";
}

/// What the layer sends when it is done right.
std::string rightLine(const Run &run)
{
    const std::optional<Experiment> right = rightExperiment(run.plan);
    if (!right)
        return "";
    return "sent by each rank, wrong: " + sentText(run.plan) + "; right (--scheme " + std::string(name(right->scheme)) +
           "): " + sentText(buildPlan(*right, run.plan.transport));
}

} // namespace

std::string brokenRules(const Run &run, const Console &console)
{
    std::string lines;
    for (const Mistake &mistake : mistakesOf(run.plan)) {
        std::string where;
        for (const int id : mistake.steps) {
            const Step &step = run.plan.steps[static_cast<std::size_t>(id)];
            where += (where.empty() ? "" : "; ") + std::to_string(step.id + 1) + ", " + step.label;
        }
        std::vector<std::string> told{(mistake.steps.size() == 1 ? "at step " : "at steps ") + where + " of the plan",
                                      "the rule: " + english(mistake.rule)};
        if (mistake.consequence != mistake.rule)
            told.push_back("what happens: " + english(mistake.consequence));
        told.push_back("the right way: " + english(mistake.remedy));
        for (const std::string &line : told)
            lines += "  " + console.wrapped(line, 2) + '\n';
    }
    for (const Text &right : rightAllTheSame(run.plan))
        lines += "  " + console.wrapped(english(right), 2) + '\n';
    if (run.plan.rightScheme)
        lines += "  the same layer done right: --scheme " + std::string(name(*run.plan.rightScheme)) + '\n';
    return lines;
}

std::string bugComparison(const std::map<Phase, Run> &runs, const Console &console)
{
    const Run &first = runs.begin()->second;
    if (first.plan.brokenRules.empty())
        return "";
    std::string text = console.bold("Broken on purpose") + '\n' + brokenRules(first, console);
    for (const std::string &line : {ratioLine(runs), rightLine(first)}) {
        if (!line.empty())
            text += "  " + console.wrapped(line, 2) + '\n';
    }
    const std::string errors = errorsTable(runs, console);
    return errors.empty() ? text : text + '\n' + console.bold("How far off") + '\n' + errors;
}

} // namespace shardscope::cli
