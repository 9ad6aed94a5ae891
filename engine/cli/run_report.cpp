// SPDX-License-Identifier: MIT
#include "engine/cli/run_report.h"

#include "engine/cli/bug_report.h"
#include "engine/cli/collectives_report.h"
#include "engine/cli/headline.h"
#include "engine/cli/rates_report.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/plan/traffic.h"
#include "engine/record/comparison.h"
#include "engine/record/hosts.h"
#include "engine/record/summation.h"

#include <algorithm>
#include <array>

namespace shardscope::cli {
namespace {

constexpr std::array kPasses{Pass::Forward, Pass::Recompute, Pass::Backward, Pass::Optimizer};

std::string section(const Console &console, const std::string &title, const std::string &lines)
{
    return lines.empty() ? "" : '\n' + console.bold(title) + '\n' + lines;
}

/// Time in communication over the whole, as a bar.
std::string shareBar(const PassSummary &pass, const Console &console)
{
    if (!pass.communicationNs || !pass.elapsedNs || *pass.elapsedNs <= 0)
        return "";
    const double share = *pass.communicationNs / *pass.elapsedNs;
    return console.bar(share, 16) + ' ' + percentText(std::min(share, 1.0));
}

std::string totalsTable(const Run &run, const RunSummary &summary, const Console &console)
{
    const bool overlap = run.experiment().overlap;
    std::vector<TextTable::Column> columns{{.title = "pass"},
                                           {.title = "collectives", .right = true},
                                           {.title = "sent/rank", .right = true},
                                           {.title = "compute", .right = true},
                                           {.title = "communication", .right = true}};
    if (overlap) {
        columns.push_back({.title = "exposed", .right = true});
        columns.push_back({.title = "hidden", .right = true});
    }
    columns.push_back({.title = "elapsed", .right = true});
    columns.push_back({.title = "share of communication", .importance = 5});
    TextTable table(std::move(columns));
    const auto add = [&](std::string title, const PassSummary &pass) {
        std::vector<std::string> cells{std::move(title), std::to_string(pass.collectives),
                                       bytesText(pass.sentBytesPerRank), durationText(pass.computeNs),
                                       durationText(pass.communicationNs)};
        if (overlap) {
            cells.push_back(durationText(pass.exposedNs));
            cells.push_back(durationText(pass.hiddenNs));
        }
        cells.push_back(durationText(pass.elapsedNs));
        cells.push_back(shareBar(pass, console));
        table.add(std::move(cells));
    };
    for (const Pass pass : kPasses) {
        const PassSummary &totals = summary.passes[static_cast<std::size_t>(pass)];
        if (totals.collectives > 0 || totals.computeNs.value_or(0) > 0)
            add(std::string(name(pass)), totals);
    }
    add("step", summary.step);
    return table.text(console);
}

/// What share of the ranks' time a pipeline leaves empty, and what of its communication is that.
std::string stagesLines(const Run &run, const RunSummary &summary, const Console &console)
{
    std::string lines;
    for (const Text &finding : pipelineFindings(summary, run.experiment()))
        lines += "  " + console.wrapped(english(finding), 2) + '\n';
    return lines;
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
           counted(summary.stepElapsed->samples, "timed step|timed steps") + "\n";
}

/// Activations that the first stage keeps are those of the micro-batches on their way: what 1F1B is for.
std::string inFlightLine(const Experiment &e)
{
    const int stages = e.extent(MeshAxis::Pp);
    if (stages == 1 || e.phase != Phase::Training)
        return "";
    const bool early = e.schedule == Schedule::OneFOneB;
    return "  micro-batches in flight on the first stage: " +
           std::to_string(early ? std::min(stages, e.microBatches) : e.microBatches) +
           (early ? " = min(p, m), 1f1b; gpipe keeps all m = " + std::to_string(e.microBatches)
                  : " = m, gpipe; 1f1b keeps min(p, m) = " + std::to_string(std::min(stages, e.microBatches))) +
           '\n';
}

std::string memoryLine(const Run &run)
{
    const bool measured = run.memory && run.memory->measuredBytesPerRank > 0;
    const bool said = run.memory && run.memory->formulaBytesPerRank > 0;
    return std::string("  ") +
           (measured ? "measured " + bytesText(run.memory->measuredBytesPerRank) + ", " : std::string()) +
           "by formula " + bytesText(said ? run.memory->formulaBytesPerRank : peakBytesPerRank(run.plan)) + '\n' +
           inFlightLine(run.experiment());
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
    std::string text = table.empty() ? "" : table.text(console);
    for (const auto &finding : {summationFinding(run), quantizationFinding(run)}) {
        if (finding)
            text += "  " + console.wrapped(english(*finding), 2) + '\n';
    }
    return text;
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

/// " (and 2 more)", of a bug that breaks several rules.
std::string moreRules(const Plan &plan)
{
    const std::size_t more = plan.brokenRules.size() - 1;
    return more == 0 ? "" : " (and " + std::to_string(more) + " more)";
}

} // namespace

std::string provenance(const Run &run)
{
    std::string text(name(run.source));
    const bool predicted = run.isPrediction();
    if (predicted && run.source == Source::Recorded)
        text += " prediction";
    text += predicted ? " for " : " on ";
    text += run.machine.host.empty() ? "an unnamed machine" : titleOf(run.machine);
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
        lines.push_back(counted(run.rejected, "record that cannot be was|records that cannot be were") +
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
    for (const Run *run : runs) {
        for (const std::optional<Text> &text : {hostsText(*run), clocksText(*run)}) {
            if (text)
                add({english(*text)});
        }
    }
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

std::string runReport(const Run &run, const Console &console, const Hardware *own)
{
    const RunSummary summary = summarize(run);
    std::string text = console.bold(headline(run.experiment())) + '\n' + origin({&run}, console);
    text += section(console, "Broken on purpose", brokenRules(run, console));
    text += section(console, "Collectives of a step", collectivesTable(run, summary, console));
    text += section(console, "Why", collectiveReasons(summary, console));
    text += section(console, "Could it be hidden under compute?", hidingTable(run, summary, console));
    text += section(console, "Who sends to whom in a step", trafficTable(run.plan, console));
    text += section(console, "Times of a step",
                    totalsTable(run, summary, console) + stepLine(run, summary, console) +
                        stagesLines(run, summary, console));
    text += section(console, "How near to the peaks", ratesTable(run, summary, console, own));
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
            addToList(failed, check.name + " is off by " + scientificText(check.relativeError) + " (limit " +
                                  scientificText(check.limit) + ')');
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
        lines.front() += "; broken rule: " + english(run.plan.brokenRules.front().rule) + moreRules(run.plan);
    return lines;
}

} // namespace shardscope::cli
