// SPDX-License-Identifier: MIT
#include "engine/cli/schemes_report.h"

#include "engine/cli/headline.h"
#include "engine/cli/run_report.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/plan/experiment_options.h"
#include "engine/plan/traffic.h"
#include "engine/record/byte_crossover.h"
#include "engine/record/cargo.h"
#include "engine/record/comparison.h"
#include "engine/record/format.h"

#include <algorithm>
#include <cmath>

namespace shardscope::cli {
namespace {

std::string schemeName(const Run &run)
{
    return std::string(name(run.experiment().scheme));
}

const Run *runOf(const std::vector<Run> &runs, Scheme scheme)
{
    const auto found = std::ranges::find_if(runs, [&](const Run &run) { return run.experiment().scheme == scheme; });
    return found == runs.end() ? nullptr : &*found;
}

std::string criticalText(const Move &move)
{
    if (move.critical)
        return "yes: the next step needs it";
    if (move.cargo == Cargo::Gradients)
        return "no: needed by the optimizer only";
    if (move.pass == Pass::Optimizer)
        return "no: can hide under the next step's forward";
    return "no: known before, can be fetched ahead";
}

std::string movesTable(const std::vector<Run> &runs, const Console &console)
{
    TextTable table({{.title = "scheme"},
                     {.title = "mesh", .importance = 4},
                     {.title = "what moves"},
                     {.title = "pass"},
                     {.title = "axis"},
                     {.title = "collectives", .right = true, .importance = 5},
                     {.title = "sent/rank", .right = true},
                     {.title = "on the critical path", .importance = 6}});
    for (const Run &run : runs) {
        std::string scheme = schemeName(run);
        std::string mesh = findOption("mesh")->get(run.experiment());
        for (const Move &move : movesOf(run.plan)) {
            table.add({scheme, mesh, std::string(name(move.cargo)), std::string(name(move.pass)),
                       std::string(axisName(move.axis)), std::to_string(move.collectives),
                       bytesText(move.sentBytesPerRank), criticalText(move)});
            scheme = mesh = ""; // said once
        }
        if (!scheme.empty())
            table.add({scheme, mesh, "nothing", "", "", "0", bytesText(0), ""});
    }
    return table.text(console);
}

/// Adam's two states on the rank that holds the most. Where no optimizer runs: what they would take, two numbers for
/// each of its parameters.
std::int64_t adamBytesPerRank(const Plan &plan)
{
    const bool runs = plan.experiment.hasOptimizer();
    std::int64_t most = 0;
    for (int rank = 0; rank < plan.mesh().size(); ++rank) {
        std::int64_t bytes = 0;
        for (const Tensor &tensor : plan.tensors) {
            const bool parameter = tensor.role == TensorRole::Weight || tensor.role == TensorRole::Bias;
            if (tensor.generated && (runs ? tensor.role == TensorRole::OptimizerState : parameter))
                bytes += (runs ? 1 : 2) * localBytes(tensor, plan.mesh(), rank);
        }
        most = std::max(most, bytes);
    }
    return most;
}

/// What every scheme holds: Adam's states, which lie there all the time where an optimizer runs, are left out.
std::int64_t withoutAdam(const Plan &plan, std::int64_t bytes)
{
    return plan.experiment.hasOptimizer() ? bytes - adamBytesPerRank(plan) : bytes;
}

std::string measuredMemory(const Run &run)
{
    const bool measured = run.memory && run.memory->measuredBytesPerRank > 0;
    return measured ? bytesText(withoutAdam(run.plan, run.memory->measuredBytesPerRank)) : "-";
}

std::string timesTable(const std::vector<Run> &runs, const Console &console)
{
    const bool overlap = std::ranges::any_of(runs, [](const Run &run) { return run.experiment().overlap; });
    const bool stages =
        std::ranges::any_of(runs, [](const Run &run) { return run.experiment().extent(MeshAxis::Pp) > 1; });
    std::vector<TextTable::Column> columns{{.title = "scheme"},
                                           {.title = "sent/rank", .right = true},
                                           {.title = "memory/rank", .right = true},
                                           {.title = "by formula", .right = true, .importance = 5},
                                           {.title = "Adam's states", .right = true},
                                           {.title = "compute", .right = true, .importance = 4},
                                           {.title = "communication", .right = true},
                                           {.title = "step", .right = true},
                                           {.title = "checks", .importance = 6}};
    if (overlap)
        columns.push_back({.title = "hidden", .right = true, .importance = 3});
    if (stages) {
        columns.push_back({.title = "waits for stages", .right = true, .importance = 3});
        columns.push_back({.title = "bubble", .right = true, .importance = 3});
    }
    TextTable table(std::move(columns));
    for (const Run &run : runs) {
        const RunSummary summary = summarize(run);
        const bool sound = summary.checksPassed && summary.observedAsPlanned;
        std::vector<std::string> cells{schemeName(run),
                                       bytesText(summary.step.sentBytesPerRank),
                                       measuredMemory(run),
                                       bytesText(withoutAdam(run.plan, peakBytesPerRank(run.plan))),
                                       bytesText(adamBytesPerRank(run.plan)),
                                       durationText(summary.step.computeNs),
                                       durationText(summary.step.communicationNs),
                                       durationText(summary.step.elapsedNs),
                                       !sound               ? console.bad("FAILED")
                                       : run.checks.empty() ? "-"
                                                            : console.good("passed")};
        if (overlap)
            cells.push_back(durationText(summary.step.hiddenNs));
        if (stages) {
            const auto &pipeline = summary.pipeline;
            cells.push_back(durationText(pipeline ? std::optional(pipeline->stageWaitNs) : std::nullopt));
            cells.push_back(percentText(summary.step.bubbleShare));
        }
        table.add(std::move(cells));
    }
    return table.text(console);
}

/// All-reduces of [tokens, h] that tensor parallelism makes of one layer in a training step. Where none ran: one sum
/// forward and one backward for each pair of linear layers.
double allReducesOfLayer(const Run *tensorParallel, const Experiment &e)
{
    if (tensorParallel != nullptr) {
        if (const double counted = allReducesPerLayer(tensorParallel->plan); counted > 0)
            return counted;
    }
    return e.repeatedLayer() == Layer::Block && !e.parallelBlock ? 4 : 2;
}

/// "P/(4*L*h)", times what the scheme sends more than data-parallel.
std::string crossoverFormula(double allReduces, double factor)
{
    const std::string simple = "P/(" + formatNumber(allReduces) + "*L*h)";
    return factor == 1 ? simple : formatNumber(factor) + " * " + simple;
}

std::string sideOf(double tokens, double crossover)
{
    if (std::abs(tokens / crossover - 1) < 0.005)
        return "at the crossover: both send the same";
    const bool below = tokens < crossover;
    const double ratio = below ? crossover / tokens : tokens / crossover;
    return (below ? "below: tensor parallelism sends " : "above: tensor parallelism sends ") + formatRatio(ratio) +
           " x " + (below ? "less" : "more");
}

std::string measuredRatio(const Run *tensorParallel, const Run *replicas)
{
    if (tensorParallel == nullptr || replicas == nullptr)
        return "-";
    const auto sent = [](const Run &run) { return static_cast<double>(summarize(run).step.sentBytesPerRank); };
    return sent(*replicas) > 0 ? formatRatio(sent(*tensorParallel) / sent(*replicas)) + " of its bytes" : "-";
}

/// Schemes of replicas to cross with: those that ran, or the two that the formula is known for.
std::vector<Scheme> crossed(const std::vector<Run> &runs)
{
    std::vector<Scheme> schemes;
    for (const Scheme scheme : {Scheme::DataParallel, Scheme::Zero1, Scheme::Zero2, Scheme::Zero3}) {
        if (runOf(runs, scheme) != nullptr)
            schemes.push_back(scheme);
    }
    return schemes.empty() ? std::vector{Scheme::DataParallel, Scheme::Zero3} : schemes;
}

std::string crossover(const std::vector<Run> &runs, const Console &console)
{
    const Experiment &e = runs.front().experiment();
    if (e.repeatedLayer() != Layer::Mlp && e.repeatedLayer() != Layer::Block)
        return "";
    const std::int64_t parameters = parameterCount(runs.front().plan);
    const auto tokens = static_cast<double>(e.globalTokens());
    const Run *tensorParallel = runOf(runs, e.repeatedLayer() == Layer::Mlp ? Scheme::Mlp : Scheme::Block);
    const double allReduces = allReducesOfLayer(tensorParallel, e);
    const double simple =
        static_cast<double>(parameters) / (allReduces * static_cast<double>(e.layers) * static_cast<double>(e.hidden));
    TextTable table({{.title = "tensor-parallel against"},
                     {.title = "formula", .importance = 5},
                     {.title = "global tokens", .right = true},
                     {.title = "this step's " + std::to_string(e.globalTokens())},
                     {.title = "sent here by tensor-parallel", .importance = 6}});
    bool any = false;
    for (const Scheme scheme : crossed(runs)) {
        const std::optional<double> factor = bytesAgainstDataParallel(runs.front().plan, scheme);
        if (!factor)
            continue;
        any = true;
        table.add({std::string(name(scheme)), crossoverFormula(allReduces, *factor),
                   std::to_string(std::llround(*factor * simple)), sideOf(tokens, *factor * simple),
                   measuredRatio(tensorParallel, runOf(runs, scheme))});
    }
    if (!any)
        return "";
    const std::string meaning =
        "P = " + std::to_string(parameters) +
        " parameters; below so many tokens of one optimizer step tensor parallelism, which "
        "moves activations, sends fewer bytes than what moves gradients or parameters" +
        (e.algorithm == Algorithm::Library ? std::string()
                                           : "; both as " + std::string(name(e.algorithm)) + " sends them");
    return '\n' + console.bold("Where the bytes cross") + '\n' + table.text(console) + "  " +
           console.dim(console.wrapped(meaning, 2)) + '\n';
}

/// What the columns of memory hold, and where the states were not part of the run.
std::string memoryNote(const std::vector<Run> &runs, const Console &console)
{
    std::string without;
    for (const Run &run : runs) {
        if (!run.experiment().hasOptimizer())
            addToList(without, schemeName(run));
    }
    std::string text = "memory: without Adam's two states, which have a column of their own";
    if (!without.empty())
        text += "; no optimizer ran in " + without + ": there it says what the states would take";
    return "  " + console.dim(console.wrapped(text, 2)) + '\n';
}

/// What a pipeline's bubble and waiting say, one line each.
std::string stageNotes(const std::vector<Run> &runs, const Console &console)
{
    std::string text;
    for (const Run &run : runs) {
        for (const Text &finding : pipelineFindings(summarize(run), run.experiment()))
            text += "  " + console.wrapped(schemeName(run) + ": " + english(finding), 2) + '\n';
    }
    return text;
}

/// The schemes share everything but how tokens are dealt.
std::string sharedLine(const std::vector<Run> &runs)
{
    const Experiment &e = runs.front().experiment();
    std::string text = "one training step under " + counted(std::ssize(runs), "scheme|schemes") + ", " +
                       counted(e.ranks(), "rank|ranks") + ": ";
    if (const auto layer = e.repeatedLayer())
        text += std::string(name(*layer)) + ", ";
    text += sizesText(e) + ", " + counted(e.globalTokens(), "token|tokens");
    if (e.microBatches > 1)
        text += " in " + counted(e.microBatches, "micro-batch|micro-batches");
    return text + ", " + std::string(name(e.dtype));
}

} // namespace

std::string schemesReport(const std::vector<Run> &runs, const Console &console)
{
    std::vector<const Run *> pointers;
    for (const Run &run : runs)
        pointers.push_back(&run);
    std::string text = console.bold(sharedLine(runs)) + '\n' + origin(pointers, console);
    text += '\n' + console.bold("What moves in a step") + '\n' + movesTable(runs, console);
    text += '\n' + console.bold("What it costs") + '\n' + timesTable(runs, console) + memoryNote(runs, console) +
            stageNotes(runs, console);
    return text + crossover(runs, console);
}

} // namespace shardscope::cli
