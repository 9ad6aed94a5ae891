// SPDX-License-Identifier: MIT
#include "engine/cli/comparison_report.h"

#include "engine/cli/bug_report.h"
#include "engine/cli/byte_ratios.h"
#include "engine/cli/headline.h"
#include "engine/cli/run_report.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/comparison.h"
#include "engine/record/format.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace shardscope::cli {
namespace {

using Value = std::optional<double>;

/// One line of the table: a number per phase, how it is written, and how it grows into a bar.
struct Measure {
    std::string title;
    std::function<Value(const RunSummary &)> value;
    std::function<std::string(double)> written;
    bool logarithmic = false; ///< bytes differ by powers of ten
};

std::string bytesWritten(double bytes)
{
    return bytesText(std::llround(bytes));
}

std::string durationWritten(double ns)
{
    return durationText(ns);
}

/// Communication of pass optimizer: ZeRO's parameters, sequence parallelism's sums.
bool optimizerCommunicates(const RunSummary &summary)
{
    return summary.passes[static_cast<std::size_t>(Pass::Optimizer)].collectives > 0;
}

bool anyOf(const PhaseComparison &comparison, bool (*has)(const RunSummary &))
{
    return std::ranges::any_of(comparison.phases, [has](const auto &entry) { return has(entry.second); });
}

std::vector<Measure> measures(const PhaseComparison &comparison)
{
    const auto number = [](double v) { return formatNumber(v); };
    const auto sent = [](const PassSummary &s) -> Value { return static_cast<double>(s.sentBytesPerRank); };
    std::vector<Measure> all;
    // What ratios leave out must not be looked for in their place.
    const bool apart = anyOf(comparison, optimizerCommunicates);
    all.push_back({"collectives", [](const RunSummary &s) -> Value { return s.step.collectives; }, number});
    if (apart)
        all.push_back({"  without the optimizer's",
                       [](const RunSummary &s) -> Value { return s.withoutOptimizer.collectives; }, number});
    all.push_back(
        {"bytes sent per rank (bars: log)", [sent](const RunSummary &s) { return sent(s.step); }, bytesWritten, true});
    if (apart)
        all.push_back({"  without the optimizer's", [sent](const RunSummary &s) { return sent(s.withoutOptimizer); },
                       bytesWritten, true});
    all.push_back(
        {"time in communication", [](const RunSummary &s) { return s.step.communicationNs; }, durationWritten});
    if (anyOf(comparison, [](const RunSummary &s) { return s.pipeline.has_value(); }))
        all.push_back({"  of it waiting for stages",
                       [](const RunSummary &s) { return s.pipeline ? Value(s.pipeline->stageWaitNs) : Value(); },
                       durationWritten});
    all.push_back({"time in compute", [](const RunSummary &s) { return s.step.computeNs; }, durationWritten});
    all.push_back({"step", [](const RunSummary &s) { return s.step.elapsedNs; }, durationWritten});
    all.push_back({"share of communication",
                   [](const RunSummary &s) -> Value {
                       const bool known = s.step.communicationNs && s.step.elapsedNs && *s.step.elapsedNs > 0;
                       return known ? Value(std::min(1.0, *s.step.communicationNs / *s.step.elapsedNs)) : Value();
                   },
                   [](double v) { return percentText(v); }});
    return all;
}

double barShare(double value, double most, bool logarithmic)
{
    if (value <= 0 || most <= 0)
        return 0;
    // A log scale needs a foot: a bar of one cell is a millionth of the longest.
    return logarithmic ? std::max(0.08, 1 + std::log10(value / most) / 6) : value / most;
}

std::vector<std::string> cellsOf(const Measure &measure, const PhaseComparison &comparison, bool perToken,
                                 const Console &console)
{
    constexpr int kBar = 10;
    std::vector<Value> values;
    double most = 0;
    for (const auto &[phase, summary] : comparison.phases) {
        const Value value = measure.value(summary);
        const auto tokens = static_cast<double>(comparison.experiments.at(phase).globalTokens());
        values.push_back(value && perToken ? Value(*value / tokens) : value);
        most = std::max(most, values.back().value_or(0));
    }
    std::vector<std::string> cells{measure.title};
    for (const Value &value : values) {
        cells.push_back(value ? measure.written(*value) : "-");
        cells.push_back(console.bar(barShare(value.value_or(0), most, measure.logarithmic), kBar));
    }
    return cells;
}

TextTable phaseTable(const std::string &title, const PhaseComparison &comparison)
{
    std::vector<TextTable::Column> columns{{.title = title}};
    for (const auto &[phase, summary] : comparison.phases) {
        columns.push_back({.title = std::string(name(phase)), .right = true});
        columns.push_back({.title = "", .importance = 3});
    }
    return TextTable(std::move(columns));
}

std::string perStep(const PhaseComparison &comparison, const Console &console)
{
    TextTable table = phaseTable("per step", comparison);
    std::vector<std::string> tokens{"tokens"};
    for (const auto &[phase, experiment] : comparison.experiments) {
        tokens.push_back(std::to_string(experiment.globalTokens()));
        tokens.emplace_back();
    }
    table.add(std::move(tokens));
    for (const Measure &measure : measures(comparison))
        table.add(cellsOf(measure, comparison, false, console));
    std::string text = table.text(console);
    if (comparison.experiments.begin()->second.ranks() > 1)
        text +=
            "  " +
            console.dim(console.wrapped("times: each of the rank with the most; communication includes waiting", 2)) +
            '\n';
    return text;
}

std::string perToken(const PhaseComparison &comparison, const Console &console)
{
    TextTable table = phaseTable("per token", comparison);
    const std::vector<Measure> all = measures(comparison);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) // a share is the same per token
        table.add(cellsOf(all[i], comparison, true, console));
    return table.text(console);
}

std::string ratios(const PhaseComparison &comparison, const Console &console)
{
    TextTable table({{.title = "ratios"},
                     {.title = "collectives", .right = true},
                     {.title = "bytes sent", .right = true},
                     {.title = "communication time", .right = true}});
    const auto add = [&](std::string title, const Ratios &r) {
        table.add({std::move(title), ratioText(r.collectives), ratioText(r.sentBytes), ratioText(r.communicationTime)});
    };
    add("training to prefill", comparison.trainingToPrefill);
    add("decode to training, per token", comparison.decodeToTrainingPerToken);
    const bool apart = anyOf(comparison, optimizerCommunicates);
    return table.text(console) +
           (apart ? "  " + console.dim("the optimizer's collectives, once a step, are not counted") + '\n' : "");
}

/// Why training sends that many times the bytes of a prefill.
std::string reasons(const PhaseComparison &comparison, const Console &console)
{
    std::string text;
    for (const Text &reason : ratioReasons(comparison))
        text += (text.empty() ? "" : ". ") + english(reason);
    return text.empty() ? text : "  " + console.dim(console.wrapped(text, 2)) + '\n';
}

/// What the numbers say, bytes and time apart. A bug's traffic says nothing of tensor parallelism.
std::string findings(const PhaseComparison &comparison, const Console &console)
{
    std::string text;
    for (const bool perToken : {false, true}) {
        const Text finding = findingOf(comparison, perToken);
        if (finding.id != TextId::NoReason && !isBug(comparison.experiments.begin()->second.scheme))
            text += console.bold(console.wrapped(english(finding), 0)) + '\n';
    }
    return text;
}

std::string checksLine(const std::map<Phase, Run> &runs, const Console &console)
{
    std::size_t total = 0;
    std::size_t passed = 0;
    for (const auto &[phase, run] : runs) {
        total += run.checks.size();
        passed += static_cast<std::size_t>(
            std::ranges::count_if(run.checks, [](const CheckEvent &check) { return check.passed; }));
    }
    if (total == 0)
        return "";
    const std::string text = std::to_string(passed) + " of " + counted(std::int64_t(total), "check|checks") +
                             " against an unsharded float64 reference passed";
    return '\n' + (passed == total ? console.good(text) : console.bad(text)) + '\n';
}

} // namespace

std::string comparisonReport(const std::map<Phase, Run> &runs, const std::vector<std::string> &leftOut,
                             const Console &console)
{
    std::map<Phase, const Run *> pointers;
    std::vector<const Run *> inOrder;
    for (const auto &[phase, run] : runs) {
        pointers.emplace(phase, &run);
        inOrder.push_back(&run);
    }
    const PhaseComparison comparison = comparePhases(pointers);
    std::string text = console.bold(layerLine(inOrder.front()->experiment())) + '\n' + origin(inOrder, console);
    for (const std::string &line : leftOut)
        text += console.warning(console.wrapped(line, 0)) + '\n';
    const auto add = [&text](const std::string &part) { text += part.empty() ? "" : '\n' + part; };
    add(perStep(comparison, console));
    add(perToken(comparison, console));
    if (runs.size() > 1)
        add(ratios(comparison, console) + reasons(comparison, console));
    add(recomputationRatios(inOrder.front()->plan, console));
    add(bugComparison(runs, console));
    add(findings(comparison, console));
    return text + checksLine(runs, console);
}

} // namespace shardscope::cli
