// SPDX-License-Identifier: MIT
#include "engine/cli/render.h"

#include "engine/cli/headline.h"
#include "engine/cli/rates_report.h"
#include "engine/cli/run_report.h"
#include "engine/record/documents.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

std::string tables(const std::vector<Run> &runs, const Console &console, const Hardware *own)
{
    std::string text;
    for (const Run &run : runs)
        text += (text.empty() ? "" : "\n") + runReport(run, console, own);
    return text;
}

std::string rows(const std::vector<Run> &runs)
{
    const bool onGpus =
        std::ranges::any_of(runs, [](const Run &run) { return run.machine.backend == "nccl" && !run.isPrediction(); });
    const std::vector<std::string> columns(onGpus ? 1 : 0, std::string(kSharedGpuColumn));
    std::string text = csvHeader(columns);
    for (const Run &run : runs)
        text += csvRow(run, columns);
    return text;
}

} // namespace

std::string documentList(const std::vector<Run> &runs, const Hardware *own)
{
    std::string text;
    for (const Run &run : runs) {
        std::string document = runDocument(run, ratesPart(run, own));
        document.pop_back(); // its '\n'
        text += (text.empty() ? "[\n" : ",\n") + document;
    }
    return text + "\n]\n";
}

std::string render(const std::vector<Run> &runs, Format format, const Console &console, const Hardware *own)
{
    switch (format) {
    case Format::Table:
        return console.spelled(tables(runs, console, own));
    case Format::Json:
        return runs.size() == 1 ? runDocument(runs.front(), ratesPart(runs.front(), own)) : documentList(runs, own);
    case Format::Jsonl:
        return writeRuns(runs);
    case Format::Csv:
        return rows(runs);
    case Format::Trace:
        return chromeTrace(runs);
    }
    return {};
}

int statusOf(const std::vector<Run> &runs, bool named)
{
    int status = kDone;
    for (const Run &run : runs) {
        const std::string which = named ? headline(run.experiment()) + ": " : std::string();
        for (const std::string &line : cautions(run))
            complain(which + line);
        for (const std::string &line : whatFailed(run, summarize(run))) {
            complain(which + line);
            status = kCheckFailed;
        }
    }
    return status;
}

} // namespace shardscope::cli
