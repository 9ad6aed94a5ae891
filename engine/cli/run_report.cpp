// SPDX-License-Identifier: MIT
#include "engine/cli/run_report.h"

#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/plan/traffic.h"

#include <algorithm>
#include <array>

namespace shardscope::cli {
namespace {

constexpr std::array kPasses{Pass::Forward, Pass::Recompute, Pass::Backward, Pass::Optimizer};

std::string readable(std::string_view op)
{
    std::string text(op);
    std::ranges::replace(text, '_', '-');
    return text;
}

std::string section(const Console &console, const std::string &title, const std::string &lines)
{
    return lines.empty() ? "" : '\n' + console.bold(title) + '\n' + lines;
}

std::string countText(const CollectiveSummary &c)
{
    return c.count == c.plannedCount ? std::to_string(c.count)
                                     : std::to_string(c.count) + " of " + std::to_string(c.plannedCount);
}

/// A verdict compares with a baseline, which only ranks can give.
std::string verdictText(const Run &run, const CollectiveSummary &c)
{
    return run.hardware.empty() ? std::string(name(c.verdict)) : "-";
}

std::string collectivesTable(const Run &run, const RunSummary &summary, const Console &console)
{
    if (summary.collectives.empty())
        return "  none: nothing has to travel\n";
    TextTable table({{.title = "pass"},
                     {.title = "collective"},
                     {.title = "of"},
                     {.title = "count", .right = true},
                     {.title = "payload", .right = true},
                     {.title = "sent/rank", .right = true},
                     {.title = "wire", .importance = 1},
                     {.title = "hops", .right = true, .importance = 2},
                     {.title = "median", .right = true},
                     {.title = "transfer", .right = true, .importance = 5},
                     {.title = "wait", .right = true, .importance = 5},
                     {.title = "algbw", .right = true, .importance = 3},
                     {.title = "busbw", .right = true, .importance = 4},
                     {.title = "verdict", .importance = 6}});
    for (const CollectiveSummary &c : summary.collectives) {
        const std::optional<double> median = c.duration ? std::optional(c.duration->median) : std::nullopt;
        table.add({std::string(name(c.pass)), readable(c.op), c.tensor, countText(c), bytesText(c.payloadBytes),
                   bytesText(c.sentBytesPerRank), c.wireDtype, c.hops > 0 ? std::to_string(c.hops) : "-",
                   durationText(median), durationText(c.transferNs), durationText(c.waitNs), bandwidthText(c.algbwGBs),
                   bandwidthText(c.busbwGBs), verdictText(run, c)});
    }
    return table.text(console);
}

/// What the columns of times mean; a prediction has no ranks that wait.
std::string columnsExplained(const Run &run, const RunSummary &summary, const Console &console)
{
    if (summary.collectives.empty() || run.isPrediction())
        return "";
    return "  " +
           console.dim(
               console.wrapped("median: the slowest rank; transfer: the fastest rank, for which nobody was late; "
                               "wait: of the rank that waited longest; verdict: which of them costs the time",
                               2)) +
           '\n';
}

std::string reasons(const RunSummary &summary, const Console &console)
{
    std::string lines;
    for (const CollectiveSummary &c : summary.collectives) {
        const std::string left = "  " + readable(c.op) + ' ' + c.tensor + ": ";
        lines += left + console.wrapped(english(c.why), static_cast<int>(columnsOf(left))) + '\n';
    }
    return lines;
}

/// Time in communication over the whole, as a bar.
std::string shareBar(const PassSummary &pass, const Console &console)
{
    if (!pass.communicationNs || !pass.elapsedNs || *pass.elapsedNs <= 0)
        return "";
    const double share = *pass.communicationNs / *pass.elapsedNs;
    return console.bar(share, 16) + ' ' + percentText(std::min(share, 1.0));
}

std::string totalsTable(const RunSummary &summary, const Console &console)
{
    TextTable table({{.title = "pass"},
                     {.title = "collectives", .right = true},
                     {.title = "sent/rank", .right = true},
                     {.title = "compute", .right = true},
                     {.title = "communication", .right = true},
                     {.title = "elapsed", .right = true},
                     {.title = "share of communication", .importance = 5}});
    const auto add = [&](std::string title, const PassSummary &pass) {
        table.add({std::move(title), std::to_string(pass.collectives), bytesText(pass.sentBytesPerRank),
                   durationText(pass.computeNs), durationText(pass.communicationNs), durationText(pass.elapsedNs),
                   shareBar(pass, console)});
    };
    for (const Pass pass : kPasses) {
        const PassSummary &totals = summary.passes[static_cast<std::size_t>(pass)];
        if (totals.collectives > 0 || totals.computeNs.value_or(0) > 0)
            add(std::string(name(pass)), totals);
    }
    add("step", summary.step);
    return table.text(console);
}

std::string stepLine(const Run &run, const RunSummary &summary, const Console &console)
{
    if (!summary.stepElapsed || summary.stepElapsed->samples < 2)
        return "";
    std::string line;
    if (run.experiment().ranks() > 1)
        line = "  " +
               console.dim("compute and communication: each of the rank with the most, so that together they may "
                           "exceed the step") +
               '\n';
    return line + "  step: median " + durationText(summary.stepElapsed->median) + ", p10 " +
           durationText(summary.stepElapsed->p10) + ", p90 " + durationText(summary.stepElapsed->p90) + " of " +
           std::to_string(summary.stepElapsed->samples) + " timed steps\n";
}

std::string memoryLine(const Run &run)
{
    const bool measured = run.memory && run.memory->measuredBytesPerRank > 0;
    const bool said = run.memory && run.memory->formulaBytesPerRank > 0;
    return std::string("  ") +
           (measured ? "measured " + bytesText(run.memory->measuredBytesPerRank) + ", " : std::string()) +
           "by formula " + bytesText(said ? run.memory->formulaBytesPerRank : peakBytesPerRank(run.plan)) + '\n';
}

std::string checksTable(const Run &run, const Console &console)
{
    TextTable table({{.title = "result"},
                     {.title = "relative error", .right = true},
                     {.title = "limit", .right = true},
                     {.title = ""}});
    for (const CheckEvent &check : run.checks) {
        table.add({check.name, scientificText(check.relativeError),
                   check.limit > 0 ? scientificText(check.limit) : "bit for bit",
                   check.passed ? console.good("passed") : console.bad("FAILED")});
    }
    return table.empty() ? "" : table.text(console);
}

std::string brokenRules(const Run &run, const Console &console)
{
    std::string lines;
    for (const BrokenRule &broken : run.plan.brokenRules) {
        const Step &step = run.plan.steps[static_cast<std::size_t>(broken.step)];
        lines += "  at step " + std::to_string(step.id + 1) + " of the plan, " + step.label + '\n' + "  " +
                 console.wrapped("the rule: " + english(broken.rule), 2) + '\n' + "  " +
                 console.wrapped("what happens: " + english(step.reason), 2) + '\n' + "  " +
                 console.wrapped("the right way: " + english(broken.remedy), 2) + '\n';
    }
    if (run.plan.rightScheme)
        lines += "  the same layer done right: --scheme " + std::string(name(*run.plan.rightScheme)) + '\n';
    return lines;
}

/// A rank that waits on purpose makes the others wait: no time below can be understood without it.
std::vector<std::string> lateness(const Experiment &experiment)
{
    if (!experiment.delay || experiment.delay->milliseconds <= 0)
        return {};
    return {"rank " + std::to_string(experiment.delay->rank) + " is made late by " +
            durationText(experiment.delay->milliseconds * 1e6) + " before each step (--delay)"};
}

std::string messages(const Run &run, const Console &console)
{
    std::string lines;
    for (const MessageEvent &message : run.messages)
        lines += "  " + console.wrapped(english(message.text), 2) + '\n';
    return lines;
}

} // namespace

std::string headline(const Experiment &experiment)
{
    const std::int64_t tokens = experiment.tokens();
    const std::string kind =
        experiment.scheme == Scheme::Mlp ? " (" + std::string(name(experiment.mlp)) + ')' : std::string();
    std::string text = std::string(name(experiment.scheme)) + kind + ", " + std::string(name(experiment.phase)) + ", " +
                       std::to_string(experiment.ranks()) + (experiment.ranks() == 1 ? " rank" : " ranks") + ": h " +
                       std::to_string(experiment.hidden) + ", f " + std::to_string(experiment.ffn) + ", " +
                       std::to_string(tokens) + (tokens == 1 ? " token" : " tokens");
    if (experiment.phase != Phase::Decode)
        text += " (" + std::to_string(experiment.batch) + " x " + std::to_string(experiment.sequence) + ')';
    return text + ", " + std::string(name(experiment.dtype)) + ", " + std::string(name(experiment.algorithm)) +
           (experiment.algorithm == Algorithm::Library ? "'s collectives" : " collectives");
}

std::string provenance(const Run &run)
{
    std::string text(name(run.source));
    const bool predicted = run.isPrediction();
    if (predicted && run.source == Source::Recorded)
        text += " prediction";
    text += predicted ? " for " : " on ";
    text += run.machine.host.empty() ? "an unnamed machine" : run.machine.host;
    if (!run.startedAt.empty())
        text += ", " + run.startedAt;
    if (!run.machine.backend.empty())
        text += ", " + run.machine.backend;
    for (const auto &[library, version] : run.machine.libraries)
        text += ", " + library + ' ' + version;
    return text;
}

std::vector<std::string> cautions(const Run &run)
{
    std::vector<std::string> lines;
    if (run.rejected > 0) {
        lines.push_back(std::to_string(run.rejected) +
                        (run.rejected == 1 ? " record that cannot be was" : " records that cannot be were") +
                        " left out (a time, size, step or rank is impossible)");
    }
    const std::string whole = "; timed steps that are whole: " + std::to_string(run.completeIterations());
    if (!run.end && run.source == Source::Recorded)
        lines.push_back("the record stops before the run ended" + whole);
    if (run.end && run.end->status != EndEvent::Status::Done)
        lines.push_back((run.end->status == EndEvent::Status::Cancelled ? "the run was cancelled" : "the run failed") +
                        whole);
    return lines;
}

std::string origin(const std::vector<const Run *> &runs, const Console &console)
{
    std::vector<std::string> lines;
    const auto add = [&lines](const std::vector<std::string> &more) {
        for (const std::string &line : more) {
            if (std::ranges::find(lines, line) == lines.end())
                lines.push_back(line);
        }
    };
    for (const Run *run : runs)
        add(run->machine.notes);
    for (const Run *run : runs)
        add(lateness(run->experiment()));
    for (const Run *run : runs)
        add(cautions(*run));
    std::string text = console.dim(console.wrapped(provenance(*runs.front()), 0)) + '\n';
    for (const std::string &line : lines)
        text += console.warning(console.wrapped(line, 0)) + '\n';
    return text;
}

std::string runReport(const Run &run, const Console &console)
{
    const RunSummary summary = summarize(run);
    std::string text = console.bold(headline(run.experiment())) + '\n' + origin({&run}, console);
    text += section(console, "Broken on purpose", brokenRules(run, console));
    text += section(console, "Collectives of a step",
                    collectivesTable(run, summary, console) + columnsExplained(run, summary, console));
    text += section(console, "Why", reasons(summary, console));
    text += section(console, "Times of a step", totalsTable(summary, console) + stepLine(run, summary, console));
    text += section(console, "Memory per rank", memoryLine(run));
    text += section(console, "Checked against an unsharded float64 reference", checksTable(run, console));
    text += section(console, "Messages", messages(run, console));
    return text;
}

std::vector<std::string> whatFailed(const Run &run, const RunSummary &summary)
{
    std::vector<std::string> lines;
    std::string failed;
    for (const CheckEvent &check : run.checks) {
        if (!check.passed) {
            failed += (failed.empty() ? "" : ", ") + check.name + " is off by " + scientificText(check.relativeError) +
                      " (limit " + scientificText(check.limit) + ')';
        }
    }
    if (!failed.empty())
        lines.push_back("check failed: " + failed);
    else if (!summary.checksPassed)
        lines.emplace_back(run.checks.empty() ? "nothing was checked"
                                              : "not checked to the end: the run did not finish");
    if (!summary.observedAsPlanned)
        lines.emplace_back(summary.iterations > 0 ? "the collectives that ran differ from the plan"
                                                  : "no timed step is whole, so nothing was counted");
    if (!run.plan.brokenRules.empty() && !lines.empty())
        lines.front() += "; broken rule: " + english(run.plan.brokenRules.front().rule);
    return lines;
}

} // namespace shardscope::cli
