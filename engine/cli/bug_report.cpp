// SPDX-License-Identifier: MIT
#include "engine/cli/bug_report.h"

#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/plan/experiment_options.h"
#include "engine/plan/traffic.h"
#include "engine/record/format.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace shardscope::cli {
namespace {

/// The same rule broken several times for the same reason is told once.
std::vector<std::vector<BrokenRule>> rulesByKind(const Plan &plan)
{
    std::vector<std::vector<BrokenRule>> kinds;
    for (const BrokenRule &broken : plan.brokenRules) {
        const auto alike = std::ranges::find_if(kinds, [&](const std::vector<BrokenRule> &kind) {
            const auto reasonOf = [&](const BrokenRule &one) {
                return plan.steps[static_cast<std::size_t>(one.step)].reason.id;
            };
            return kind.front().rule.id == broken.rule.id && kind.front().remedy.id == broken.remedy.id &&
                   reasonOf(kind.front()) == reasonOf(broken);
        });
        if (alike == kinds.end())
            kinds.push_back({broken});
        else
            alike->push_back(broken);
    }
    return kinds;
}

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
        text += (text.empty() ? "" : ", ") + std::string(name(pass)) + ' ' + bytesText(here.sentBytesPerRank);
    }
    return text;
}

/// Training to prefill, in bytes of the plans.
std::optional<double> ownRatio(const std::map<Phase, Run> &runs)
{
    const auto training = runs.find(Phase::Training);
    const auto prefill = runs.find(Phase::Prefill);
    if (training == runs.end() || prefill == runs.end())
        return std::nullopt;
    const auto sent = [](const Run &run) { return static_cast<double>(traffic(run.plan).total().sentBytesPerRank); };
    if (sent(prefill->second) <= 0)
        return std::nullopt;
    return sent(training->second) / sent(prefill->second);
}

std::string ratioLine(const std::map<Phase, Run> &runs)
{
    const std::optional<double> ratio = ownRatio(runs);
    if (!ratio)
        return "";
    const Experiment &e = runs.at(Phase::Training).experiment();
    std::string text = "training sends " + ratioText(ratio) + " the bytes of prefill";
    if (e.scheme == Scheme::BugNaiveExercise) {
        text += " = 1 + h/tokens = 1 + " + std::to_string(e.hidden) + '/' + std::to_string(e.tokens()) +
                ": the all-reduce of dW, f/N columns of h numbers, is the same for any number of tokens, so the ratio "
                "says nothing about tensor parallelism; the pair column, row sends 2.0 x";
    }
    return text;
}

/// What the layer sends when it is done right.
std::string rightLine(const Run &run)
{
    if (!run.plan.rightScheme)
        return "";
    Experiment right = run.experiment();
    right.scheme = *run.plan.rightScheme;
    if (validate(right))
        return "";
    return "sent by each rank, wrong: " + sentText(run.plan) + "; right (--scheme " + std::string(name(right.scheme)) +
           "): " + sentText(buildPlan(right, run.plan.transport));
}

} // namespace

std::string brokenRules(const Run &run, const Console &console)
{
    std::string lines;
    for (const std::vector<BrokenRule> &alike : rulesByKind(run.plan)) {
        std::string where;
        for (const BrokenRule &broken : alike) {
            const Step &step = run.plan.steps[static_cast<std::size_t>(broken.step)];
            where += (where.empty() ? "" : "; ") + std::to_string(step.id + 1) + ", " + step.label;
        }
        const BrokenRule &first = alike.front();
        for (const std::string &line :
             {(alike.size() == 1 ? "at step " : "at steps ") + where + " of the plan",
              "the rule: " + english(first.rule),
              "what happens: " + english(run.plan.steps[static_cast<std::size_t>(first.step)].reason),
              "the right way: " + english(first.remedy)})
            lines += "  " + console.wrapped(line, 2) + '\n';
    }
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
