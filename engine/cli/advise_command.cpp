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

std::string marginText(double linkMargin)
{
    return linkMargin > 0 ? ratioText(linkMargin) : "-";
}

std::string memoryText(std::int64_t bytes)
{
    return bytes > 0 ? formatGibibytes(bytes) : "-";
}

std::string secondsCell(double seconds)
{
    return seconds > 0 ? durationText(seconds * 1e9) : "-";
}

std::string_view markOf(LayoutVerdict verdict)
{
    return verdict == LayoutVerdict::Recommended ? "->" : "";
}

std::string layoutsTable(const std::vector<TrainingLayout> &layouts, const Console &console)
{
    TextTable table({{.title = ""},
                     {.title = "TP", .right = true},
                     {.title = "PP", .right = true},
                     {.title = "DP", .right = true},
                     {.title = "memory/GPU", .right = true},
                     {.title = "recompute", .importance = 4},
                     {.title = "link margin", .right = true, .importance = 5},
                     {.title = "in TP", .right = true, .importance = 2},
                     {.title = "bubble", .right = true, .importance = 3},
                     {.title = "step", .right = true, .importance = 6},
                     {.title = "verdict"}});
    for (const TrainingLayout &layout : layouts) {
        if (!layout.bestOfTp)
            continue;
        const MemorySettings &s = layout.settings;
        const bool timed = layout.step.has_value();
        const double step = timed ? layout.step->total() : 0;
        table.add({std::string(markOf(layout.verdict)), std::to_string(s.tp), std::to_string(s.pp),
                   std::to_string(s.dp), memoryText(layout.memoryBytes), std::string(name(s.recompute)),
                   marginText(layout.linkMargin), timed ? percentText(layout.step->tensorParallel / step) : "-",
                   timed ? percentText(layout.step->bubble / step) : "-", secondsCell(step),
                   english(describe(layout.verdict))});
    }
    return table.text(console);
}

std::string layoutsTable(const std::vector<ServingLayout> &layouts, const Console &console)
{
    TextTable table({{.title = ""},
                     {.title = "TP", .right = true},
                     {.title = "PP", .right = true},
                     {.title = "replicas", .right = true},
                     {.title = "memory/GPU", .right = true},
                     {.title = "KV cache", .right = true, .importance = 3},
                     {.title = "link margin", .right = true, .importance = 4},
                     {.title = "token", .right = true},
                     {.title = "in all-reduces", .right = true, .importance = 2},
                     {.title = "tokens/s/GPU", .right = true, .importance = 5},
                     {.title = "verdict"}});
    for (const ServingLayout &layout : layouts) {
        const MemorySettings &s = layout.settings;
        const bool timed = layout.tokenSeconds > 0;
        table.add({std::string(markOf(layout.verdict)), std::to_string(s.tp), std::to_string(s.pp),
                   std::to_string(s.dp), memoryText(layout.memoryBytes), memoryText(layout.cacheBytes),
                   marginText(layout.linkMargin), secondsCell(layout.tokenSeconds),
                   timed ? percentText(layout.communicationSeconds / layout.tokenSeconds) : "-",
                   timed ? formatNumber(layout.tokensPerSecondPerGpu) : "-", english(describe(layout.verdict))});
    }
    return table.text(console);
}

std::string lineText(const std::string &subject, const AdviceLine &line, const Console &console)
{
    return "  " + console.wrapped(subject + english(line.finding), 2) + '\n' + "    " +
           console.dim("rule: " + console.wrapped(english(line.rule), 10)) + '\n' + "    " +
           console.dim("from: " + console.wrapped(english(line.source), 10)) + '\n';
}

std::string linesText(const std::vector<AdviceLine> &lines, const Console &console)
{
    std::string text;
    for (const AdviceLine &line : lines)
        text += lineText("", line, console);
    return text;
}

std::string layoutName(const MemorySettings &s, std::string_view third)
{
    return "TP " + std::to_string(s.tp) + " x PP " + std::to_string(s.pp) + std::string(third) + std::to_string(s.dp) +
           ": ";
}

template <typename Layout>
std::string whyNot(const std::vector<Layout> &layouts, std::string_view third, const Console &console)
{
    std::string text;
    for (const Layout &layout : layouts) {
        if constexpr (requires { layout.bestOfTp; }) {
            if (!layout.bestOfTp)
                continue;
        }
        if (layout.verdict != LayoutVerdict::Recommended)
            text += lineText(layoutName(layout.settings, third), layout.lines.front(), console);
    }
    return text.empty() ? text : console.bold("Why not the others") + '\n' + text;
}

std::string table(const Advice &advice, const Console &console)
{
    const AdviceQuestion &q = advice.question;
    std::string text = console.bold("Advice") + " for " + q.model.title + " on " + counted(q.gpus, "GPU|GPUs") +
                       ", nodes of " + q.hardware.title + ": predicted, not measured\n" +
                       console.wrapped(modelLine(q.model), 0) + "\n\n";
    text += labelled(console, "Training", english(advice.trainingAssumptions)) + layoutsTable(advice.training, console);
    if (std::ranges::any_of(advice.training, [](const TrainingLayout &l) { return !l.bestOfTp; }))
        text += console.dim("  the best PP and DP of each TP; all " +
                            counted(std::ssize(advice.training), "layout stands|layouts stand") + " in --format json") +
                '\n';
    text += console.bold("Why") + '\n' + linesText(advice.trainingLines, console) +
            whyNot(advice.training, " x DP ", console) + '\n';
    text += labelled(console, "Inference", english(advice.servingAssumptions)) + layoutsTable(advice.serving, console) +
            console.bold("Why") + '\n' + linesText(advice.servingLines, console) +
            whyNot(advice.serving, ", replicas ", console);
    return text;
}

} // namespace

int advise(const Arguments &arguments)
{
    if (asksForModels(arguments.own))
        return listModels(arguments);
    const AdviceQuestion question = readQuestion(arguments.own);
    Output output(arguments.output);
    const Advice advice = shardscope::advise(question);
    if (arguments.format == Format::Json)
        output.write(dumped(adviceDocument(advice)));
    else
        output.writeText(table(advice, output.console()));
    output.commit();
    return kDone;
}

} // namespace shardscope::cli
