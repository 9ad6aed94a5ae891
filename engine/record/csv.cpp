// SPDX-License-Identifier: MIT
#include "engine/record/documents.h"

#include "engine/record/format.h"
#include "engine/record/hosts.h"
#include "engine/record/json_values.h"

#include <algorithm>
#include <array>

namespace shardscope {
namespace {

constexpr std::array<std::string_view, 16> kColumns{"phase",
                                                    "scheme",
                                                    "ranks",
                                                    "hidden",
                                                    "batch",
                                                    "sequence",
                                                    "dtype",
                                                    "backend",
                                                    "step_us",
                                                    "compute_us",
                                                    "communication_us",
                                                    "wait_us",
                                                    "collectives",
                                                    "payload_bytes",
                                                    "sent_bytes_per_rank",
                                                    "checks_passed"};

std::string microsecondCell(const std::optional<double> &nanoseconds)
{
    constexpr int kDecimals = 3;
    return nanoseconds ? fixedDecimals(*nanoseconds / 1000, kDecimals) : std::string{};
}

std::string optionCell(const Run &run, std::string_view option)
{
    if (option == "backend")
        return resolvedBackend(run);
    if (option == kSharedGpuColumn)
        return sharedGpus(run.machine) ? "true" : "false";
    const ExperimentOption *known = findOption(option);
    return known ? known->get(run.experiment()) : std::string{};
}

} // namespace

std::string csvHeader(const std::vector<std::string> &extraOptions)
{
    std::vector<std::string> cells(kColumns.begin(), kColumns.end());
    for (std::string column : extraOptions) {
        std::replace(column.begin(), column.end(), '-', '_');
        cells.push_back(std::move(column));
    }
    return csvLine(cells);
}

std::string csvRow(const Run &run, const std::vector<std::string> &extraOptions)
{
    const RunSummary summary = summarize(run);
    const PassSummary &step = summary.step;
    std::vector<std::string> cells;
    for (const char *option : {"phase", "scheme", "ranks", "hidden", "batch", "sequence", "dtype", "backend"})
        cells.push_back(optionCell(run, option));
    for (const auto &time : {step.elapsedNs, step.computeNs, step.communicationNs, step.waitNs})
        cells.push_back(microsecondCell(time));
    cells.push_back(std::to_string(step.collectives));
    cells.push_back(std::to_string(step.payloadBytes));
    cells.push_back(std::to_string(step.sentBytesPerRank));
    cells.emplace_back(summary.checksPassed && summary.observedAsPlanned ? "true" : "false");
    for (const std::string &option : extraOptions)
        cells.push_back(optionCell(run, option));
    return csvLine(cells);
}

} // namespace shardscope
