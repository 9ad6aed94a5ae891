// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/model_document.h"
#include "engine/cli/model_options.h"
#include "engine/cli/output.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/format.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

std::string countText(std::int64_t parameters)
{
    constexpr double kBillion = 1e9;
    const auto count = static_cast<double>(parameters);
    return count >= kBillion ? formatNumber(count / kBillion) + "e9" : formatNumber(count / 1e6) + "e6";
}

/// "optimizer 12 B/8".
std::string columnTitle(const MemoryEstimate &estimate, MemoryKind kind)
{
    const auto term = std::ranges::find(estimate.terms, kind, &MemoryTerm::kind);
    return std::string(name(kind)) + " " + std::to_string(term->bytesEach) + " B" +
           (term->shards > 1 ? '/' + std::to_string(term->shards) : "");
}

/// Weights, gradients and optimizer state of one part in one row.
std::vector<std::string> partRow(const MemoryEstimate &estimate, const MemoryTerm &first, bool training)
{
    std::vector<std::string> row{english(first.name), countText(first.parameters)};
    std::int64_t sum = 0;
    for (const MemoryKind kind : {MemoryKind::Weights, MemoryKind::Gradients, MemoryKind::Optimizer}) {
        const auto term = std::ranges::find_if(
            estimate.terms, [&](const MemoryTerm &other) { return other.part == first.part && other.kind == kind; });
        if (term == estimate.terms.end())
            continue;
        sum += term->bytes;
        if (training)
            row.push_back(formatGibibytes(term->bytes));
    }
    row.push_back(formatGibibytes(sum));
    return row;
}

std::string termTable(const MemoryEstimate &estimate, bool training, const Console &console)
{
    std::vector<TextTable::Column> columns{{.title = "what lies on one GPU"},
                                           {.title = "parameters", .right = true, .importance = 1}};
    if (training) {
        for (const MemoryKind kind : {MemoryKind::Weights, MemoryKind::Gradients, MemoryKind::Optimizer})
            columns.push_back({.title = columnTitle(estimate, kind), .right = true, .importance = 2});
    }
    columns.push_back({.title = "memory", .right = true});
    const std::size_t width = columns.size();
    TextTable table(std::move(columns));
    for (const MemoryTerm &term : estimate.terms) {
        if (term.kind == MemoryKind::Weights)
            table.add(partRow(estimate, term, training));
    }
    if (training) {
        table.add({"parameters, gradients, optimizer", "", formatGibibytes(estimate.bytes(MemoryKind::Weights)),
                   formatGibibytes(estimate.bytes(MemoryKind::Gradients)),
                   formatGibibytes(estimate.bytes(MemoryKind::Optimizer)), formatGibibytes(estimate.stateBytes())});
    } else {
        table.add({"all weights", "", formatGibibytes(estimate.stateBytes())});
    }
    const auto addLast = [&](std::string name, std::int64_t bytes) {
        std::vector<std::string> row(width);
        row.front() = std::move(name);
        row.back() = formatGibibytes(bytes);
        table.add(std::move(row));
    };
    for (const MemoryTerm &term : estimate.terms) {
        if (term.kind == MemoryKind::Activations || term.kind == MemoryKind::KvCache)
            addLast(english(term.name), term.bytes);
    }
    addLast("all together", estimate.totalBytes());
    return table.text(console);
}

std::string dividedLine(const MemoryEstimate &estimate, const MemorySettings &settings, bool training)
{
    if (settings.tp == 1)
        return {};
    return "If everything were divided by TP: " + formatGibibytes(estimate.stateDividedByTpBytes()) + " instead of " +
           formatGibibytes(estimate.stateBytes()) + " for " +
           (training ? "parameters, gradients and optimizer" : "the weights") + '\n';
}

/// Beside their names where the terminal is wide enough, else below them.
std::string formulaRows(const std::vector<std::vector<std::string>> &rows, const Console &console)
{
    TextTable table({{.title = "formulas"}, {.title = ""}});
    std::string below = "  " + console.dim("formulas") + '\n';
    std::size_t widest = 0;
    std::size_t names = 0;
    for (const std::vector<std::string> &row : rows) {
        table.add(row);
        below += "  " + row[0] + "\n      " + console.wrapped(row[1], 6) + '\n';
        names = std::max(names, columnsOf(row[0]));
        widest = std::max(widest, columnsOf(row[1]));
    }
    constexpr std::size_t kMargins = 4;
    const bool fits = console.width == 0 || names + widest + kMargins <= static_cast<std::size_t>(console.width);
    return fits ? table.text(console) : below;
}

/// How many parameters, how large the rest is, and under them where that comes from.
std::string formulas(const MemoryEstimate &estimate, const Console &console)
{
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> sources;
    for (const MemoryTerm &term : estimate.terms) {
        if (term.kind == MemoryKind::Weights)
            rows.push_back({english(term.name), "parameters = " + term.parameterFormula});
        else if (term.bytesEach == 0)
            rows.push_back({english(term.name), "bytes = " + term.formula});
        const std::string source = english(term.source);
        if (std::ranges::find(sources, source) == sources.end())
            sources.push_back(source);
    }
    std::string text = formulaRows(rows, console);
    for (const std::string &source : sources)
        text += "  " + console.dim("from: " + console.wrapped(source, 8)) + '\n';
    return text;
}

std::string notes(const MemoryEstimate &estimate, const Console &console)
{
    std::string text;
    for (const Text &note : estimate.notes)
        text += console.wrapped(english(note), 0) + '\n';
    return text;
}

std::string layoutText(const MemorySettings &s)
{
    return "TP " + std::to_string(s.tp) + " x PP " + std::to_string(s.pp) + " x DP " + std::to_string(s.dp) + " = " +
           counted(s.gpus(), "GPU|GPUs");
}

std::string trainingText(const Model &model, const MemorySettings &s, const Console &console)
{
    const MemoryEstimate estimate = trainingMemory(model, s);
    const std::string what = layoutText(s) + ", micro-batches of " + std::to_string(s.batch) + " x " +
                             counted(s.sequence, "token|tokens") + ", " + std::to_string(s.bytesPerParameter) +
                             " bytes a parameter, sequence parallelism " + (s.sequenceParallel ? "on" : "off") +
                             ", recompute " + std::string(name(s.recompute)) + ", ZeRO " + std::to_string(s.zero);
    return labelled(console, "Training", what) + termTable(estimate, true, console) + dividedLine(estimate, s, true) +
           notes(estimate, console) + '\n' + formulas(estimate, console);
}

std::string inferenceText(const Model &model, const MemorySettings &s, const Console &console)
{
    const MemoryEstimate estimate = inferenceMemory(model, s);
    const std::string what =
        layoutText(s) + ", " + std::to_string(s.batch) + " x " + counted(s.sequence, "token|tokens") +
        " in the KV cache, " + formatBinaryBytes(kvBytesPerToken(model, s.tp)) + " a token on a rank of TP (" +
        formatBinaryBytes(kvBytesPerToken(model, 1)) + " in all), weights " + std::string(name(s.weights));
    return labelled(console, "Inference", what) + termTable(estimate, false, console) +
           dividedLine(estimate, s, false) + notes(estimate, console) + '\n' + formulas(estimate, console);
}

} // namespace

int memory(const Arguments &arguments)
{
    if (asksForModels(arguments.own))
        return listModels(arguments);
    const Model model = modelNamed(arguments.own);
    const MemorySettings settings = readMemorySettings(model, arguments.own);
    Output output(arguments.output);
    if (arguments.format == Format::Json) {
        output.write(dumped(memoryDocument(model, settings)));
    } else {
        const Console console = output.console();
        output.writeText(console.bold(model.title) +
                         ": memory of one GPU by formula, not measured; GiB = 2^30 bytes\n" +
                         console.wrapped(modelLine(model), 0) + "\n\n" + trainingText(model, settings, console) + '\n' +
                         inferenceText(model, settings, console) + '\n' +
                         console.dim(console.wrapped(english({TextId::MemorySymbols, {}}), 0)) + '\n');
    }
    output.commit();
    return kDone;
}

} // namespace shardscope::cli
