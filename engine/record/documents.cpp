// SPDX-License-Identifier: MIT
#include "engine/record/documents.h"

#include "engine/plan/traffic.h"
#include "engine/record/hiding.h"
#include "engine/record/json_values.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr int kSchema = 1;

Json collectiveJson(const CollectiveSummary &summary)
{
    const auto of = [&summary](double Distribution::*part) {
        return summary.duration ? std::optional((*summary.duration).*part) : std::nullopt;
    };
    Json json;
    json["pass"] = name(summary.pass);
    json["op"] = summary.op;
    json["tensor"] = summary.tensor;
    json["axis"] = axisName(summary.axis);
    json["why"] = english(summary.why);
    json["count"] = summary.count;
    json["planned_count"] = summary.plannedCount;
    json["payload_bytes"] = summary.payloadBytes;
    json["sent_bytes_per_rank"] = summary.sentBytesPerRank;
    json["wire_dtype"] = summary.wireDtype;
    json["hops"] = summary.hops > 0 ? Json(summary.hops) : Json(nullptr);
    if (!summary.algorithm.empty()) {
        json["library_algorithm"] = summary.algorithm;
        json["library_protocol"] = summary.protocol;
    }
    json["median_us"] = microseconds(of(&Distribution::median));
    json["p10_us"] = microseconds(of(&Distribution::p10));
    json["p90_us"] = microseconds(of(&Distribution::p90));
    json["transfer_us"] = microseconds(summary.transferNs);
    json["wait_us"] = microseconds(summary.waitNs);
    json["algbw_GBps"] = number(summary.algbwGBs);
    json["busbw_GBps"] = number(summary.busbwGBs);
    json["verdict"] = name(summary.verdict);
    return json;
}

/// Null where nothing was timed, or of a message, which has no transfer.
Json hidingJson(const Run &run, const CollectiveSummary &summary, const std::vector<Hiding> &all)
{
    const auto hiding = std::ranges::find(all, summary.step, &Hiding::step);
    if (hiding == all.end())
        return nullptr;
    Json json;
    json["beside"] = Json::array();
    for (const int step : hiding->beside)
        json["beside"].push_back(run.plan.steps[static_cast<std::size_t>(step)].label);
    const bool any = hiding->computeNs > 0;
    json["compute_us"] = microseconds(any ? std::optional(hiding->computeNs) : std::nullopt);
    json["required_GBps"] = number(any ? std::optional(hiding->requiredGBs) : std::nullopt);
    json["available_GBps"] = number(hiding->availableGBs);
    json["possible"] = hiding->possible();
    return json;
}

Json totalsJson(const PassSummary &summary)
{
    Json json;
    json["collectives"] = summary.collectives;
    json["payload_bytes"] = summary.payloadBytes;
    json["sent_bytes_per_rank"] = summary.sentBytesPerRank;
    json["communication_us"] = microseconds(summary.communicationNs);
    json["exposed_us"] = microseconds(summary.exposedNs);
    json["hidden_us"] = microseconds(summary.hiddenNs);
    json["compute_us"] = microseconds(summary.computeNs);
    json["elapsed_us"] = microseconds(summary.elapsedNs);
    return json;
}

Json allTotalsJson(const RunSummary &summary, bool pipeline)
{
    Json json;
    for (std::size_t pass = 0; pass < kPassCount; ++pass)
        json[std::string(name(static_cast<Pass>(pass)))] = totalsJson(summary.passes[pass]);
    json["step"] = totalsJson(summary.step);
    if (pipeline)
        json["step"]["bubble_share"] = number(summary.step.bubbleShare);
    return json;
}

Json memoryJson(const Run &run)
{
    Json json;
    const bool measured = run.memory && run.memory->measuredBytesPerRank > 0;
    json["measured"] = measured ? Json(run.memory->measuredBytesPerRank) : Json(nullptr);
    const bool said = run.memory && run.memory->formulaBytesPerRank > 0;
    json["formula"] = said ? run.memory->formulaBytesPerRank : peakBytesPerRank(run.plan);
    return json;
}

Json checksJson(const Run &run)
{
    Json json = Json::array();
    for (const CheckEvent &check : run.checks) {
        const bool isNumber = check.relativeError != kUnknownError;
        Json entry;
        entry["name"] = check.name;
        entry["relative_error"] = isNumber ? number(check.relativeError) : Json(nullptr);
        entry["limit"] = number(check.limit);
        entry["passed"] = check.passed;
        const auto addKnown = [&entry](const char *key, double value) {
            if (value != kUnknownError)
                entry[key] = number(value);
        };
        addKnown("one_device_relative_error", check.wholeError);
        addKnown("one_device_in_pieces_relative_error", check.piecesError);
        addKnown("difference_from_one_device", check.fromWhole);
        addKnown("difference_from_one_device_in_pieces", check.fromPieces);
        addKnown("quantization_error", check.quantizationError);
        json.push_back(std::move(entry));
    }
    return json;
}

Json elapsedMilliseconds(const Run &run)
{
    if (!run.end)
        return nullptr;
    return static_cast<double>(run.end->elapsedNs / 1000) / 1000;
}

Json runJson(const Run &run, const RunSummary &summary)
{
    Json json;
    json["schema"] = kSchema;
    json["source"] = name(run.source);
    json["experiment"] = experimentJson(run);
    json["machine"] = machineJson(run.machine);
    json["collectives"] = Json::array();
    const std::vector<Hiding> hiding = hidings(run, summary);
    for (const CollectiveSummary &collective : summary.collectives) {
        json["collectives"].push_back(collectiveJson(collective));
        json["collectives"].back()["could_be_hidden"] = hidingJson(run, collective, hiding);
    }
    json["totals"] = allTotalsJson(summary, run.experiment().extent(MeshAxis::Pp) > 1);
    json["memory_bytes_per_rank"] = memoryJson(run);
    json["checks"] = checksJson(run);
    json["elapsed_ms"] = elapsedMilliseconds(run);
    return json;
}

Json ratiosJson(const Ratios &ratios)
{
    Json json;
    json["collectives"] = number(ratios.collectives);
    json["sent_bytes"] = number(ratios.sentBytes);
    json["communication_time"] = number(ratios.communicationTime);
    return json;
}

} // namespace

std::string runDocument(const Run &run, const DocumentParts &more)
{
    Json json = runJson(run, summarize(run));
    for (const auto &[key, value] : more)
        json[key] = Json::parse(value);
    return dumped(json);
}

std::string comparisonDocument(const std::map<Phase, Run> &runs)
{
    std::map<Phase, const Run *> pointers;
    for (const auto &[phase, run] : runs)
        pointers[phase] = &run;
    const PhaseComparison comparison = comparePhases(pointers);

    Json json;
    json["schema"] = kSchema;
    for (const auto &[phase, run] : runs)
        json["phases"][std::string(name(phase))] = runJson(run, comparison.phases.at(phase));
    json["ratios"]["training_to_prefill"] = ratiosJson(comparison.trainingToPrefill);
    json["ratios"]["decode_to_training_per_token"] = ratiosJson(comparison.decodeToTrainingPerToken);
    return dumped(json);
}

std::string schemesDocument(const std::vector<Run> &runs)
{
    Json json;
    json["schema"] = kSchema;
    json["schemes"] = Json::object();
    for (const Run &run : runs)
        json["schemes"][std::string(name(run.experiment().scheme))] = runJson(run, summarize(run));
    return dumped(json);
}

} // namespace shardscope
