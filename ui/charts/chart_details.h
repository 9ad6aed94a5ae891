// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/statistics.h"
#include "ui/charts/comparison_data.h"

namespace shardscope {

/// A run and its statistics, as the charts read it.
struct SummarizedRun {
    const Run *run = nullptr;
    RunSummary summary;
};

/// Whether every rank sends as many bytes as every other: not in a tree, and not where chunks are uneven.
[[nodiscard]] bool ranksSendAlike(const Plan &plan);

/// The tooltip of a bar: formula with this run's numbers, every digit of a size, spread of a time. `tokens` is 1 unless
/// the chart shows values per token.
[[nodiscard]] QString barDetails(Metric metric, const SummarizedRun &run, double tokens);

} // namespace shardscope
