// SPDX-License-Identifier: MIT
#include "engine/cli/rates_report.h"

#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/json_values.h"
#include "engine/simulate/achieved_rates.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

std::string rateText(const RateRow &row, double perSecond)
{
    return row.kind == RateKind::MatrixProducts ? formatFlopRate(perSecond) : formatByteRate(perSecond);
}

std::string whatText(const RateRow &row)
{
    if (row.kind == RateKind::MatrixProducts)
        return "matrix products";
    if (row.kind == RateKind::MemoryBound)
        return row.coreAttention ? "core attention" : "memory-bound operations";
    std::string op = row.op;
    std::ranges::replace(op, '_', '-');
    return op + ' ' + row.tensor;
}

std::string limitedByText(const RateRow &row)
{
    switch (row.limit) {
    case RateLimit::Latency:
        return "latency, " + durationText(row.latencyNs);
    case RateLimit::Memory:
        return "memory";
    case RateLimit::Arithmetic:
        return "its products";
    case RateLimit::Peak:
    case RateLimit::Unknown:
        break;
    }
    return "";
}

void addOnce(std::vector<std::string> &lines, const Text &text)
{
    const std::string line = english(text);
    if (std::ranges::find(lines, line) == lines.end())
        lines.push_back(line);
}

/// Every digit of what is counted, as long as a double has them.
Json countOf(double value)
{
    constexpr double kExact = 9e15;
    return value < kExact ? Json(static_cast<std::int64_t>(value)) : number(value);
}

Json sizesJson(const RatePart &part)
{
    if (part.rows == 0)
        return nullptr;
    return Json::array({part.rows, part.inner, part.columns});
}

Json partJson(const RatePart &part)
{
    Json json;
    json["formula"] = part.label;
    json["m_k_n"] = sizesJson(part);
    json["count"] = part.count;
    json["flop_each"] = countOf(part.flops);
    json["bytes_each"] = countOf(part.bytes);
    json["median_us"] = microseconds(part.medianNs);
    json["achieved_per_s"] = number(part.perSecond);
    return json;
}

Json rowJson(const RateRow &row)
{
    const bool collective = row.kind == RateKind::Collective;
    Json json;
    json["kind"] = name(row.kind);
    json["pass"] = name(row.pass);
    json["of"] = collective ? row.tensor : row.coreAttention ? "core_attention" : "";
    json["count"] = row.count;
    if (collective) {
        json["op"] = row.op;
        json["axis"] = axisName(row.axis);
        json["ranks"] = row.groupSize;
        json["wire_payload_bytes"] = countOf(row.payloadBytes);
        json["sent_bytes_per_rank"] = countOf(row.sentBytesPerRank);
        json["bus_factor"] = number(row.busFactor);
    } else {
        json["flop"] = countOf(row.flops);
        json["bytes"] = countOf(row.bytes);
    }
    json["median_us"] = microseconds(row.medianNs);
    json["unit"] = row.kind == RateKind::MatrixProducts ? "FLOP/s" : "B/s";
    json["achieved_per_s"] = number(row.perSecond);
    json["peak_per_s"] = number(row.peak ? std::optional(row.peak->perSecond) : std::nullopt);
    json["peak_origin"] = row.peak ? Json(name(row.peak->origin)) : Json(nullptr);
    json["peak_source"] = row.peak ? Json(english(row.peak->source)) : Json(nullptr);
    json["share"] = number(row.share);
    json["limited_by"] = name(row.limit);
    const bool known = row.limit != RateLimit::Unknown;
    json["latency_us"] = microseconds(known ? std::optional(row.latencyNs) : std::nullopt);
    json["note"] = row.note ? Json(english(*row.note)) : Json(nullptr);
    if (!collective) {
        json["operations"] = Json::array();
        for (const RatePart &part : row.parts)
            json["operations"].push_back(partJson(part));
    }
    return json;
}

} // namespace

std::string ratesTable(const Run &run, const RunSummary &summary, const Console &console, const Hardware *own)
{
    const Hardware *peaks = peaksFor(run, own);
    if (!peaks)
        return "";
    TextTable table({{.title = "pass"},
                     {.title = "what"},
                     {.title = "achieved", .right = true},
                     {.title = "peak", .right = true, .importance = 5},
                     {.title = "share", .right = true},
                     {.title = "", .importance = 3},
                     {.title = "limited by"}});
    std::vector<std::string> lines;
    for (const RateRow &row : achievedRates(run, summary, peaks)) {
        if (!row.share)
            continue;
        table.add({std::string(name(row.pass)), whatText(row), rateText(row, *row.perSecond),
                   rateText(row, row.peak->perSecond), percentText(row.share),
                   console.bar(std::min(*row.share, 1.0), 10), limitedByText(row)});
        addOnce(lines, row.peak->source);
        if (*row.share > 1)
            addOnce(lines, *row.note);
    }
    if (table.empty())
        return "";
    if (const auto assumed = rateAssumptions(run, *peaks))
        addOnce(lines, *assumed);
    std::string text = table.text(console);
    for (const std::string &line : lines)
        text += "  " + console.dim(console.wrapped(line, 2)) + '\n';
    return text;
}

DocumentParts ratesPart(const Run &run, const Hardware *own)
{
    Json rates = Json::array();
    for (const RateRow &row : achievedRates(run, summarize(run), peaksFor(run, own)))
        rates.push_back(rowJson(row));
    // A file's words may be any bytes.
    return {{"rates", rates.dump(-1, ' ', false, Json::error_handler_t::replace)}};
}

} // namespace shardscope::cli
