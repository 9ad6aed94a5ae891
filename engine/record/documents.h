// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/comparison.h"
#include "engine/record/run.h"

#include <string>
#include <utility>
#include <vector>

namespace shardscope {

// What is printed and exported. Keys are a contract; times in microseconds, sizes in bytes; undefined is null.

/// Further keys of a RUN document, each with its value as JSON text: what layers above this one know of a run.
using DocumentParts = std::vector<std::pair<std::string, std::string>>;

/// The RUN document, indented, '\n' at the end.
[[nodiscard]] std::string runDocument(const Run &run, const DocumentParts &more = {});
/// { schema, phases, ratios }.
[[nodiscard]] std::string comparisonDocument(const std::map<Phase, Run> &runs);
/// { schema, schemes }: the same layer under several schemes.
[[nodiscard]] std::string schemesDocument(const std::vector<Run> &runs);

/// One more column of runs on GPUs: whether ranks share one, so that times are not those of separate GPUs.
inline constexpr std::string_view kSharedGpuColumn = "ranks-share-gpu";

/// Header and rows of `sweep`; `extraOptions` are swept options ("micro-batches") beyond the fixed columns. Undefined
/// is an empty cell; checks_passed is also false when observed collectives differ from the planned ones.
[[nodiscard]] std::string csvHeader(const std::vector<std::string> &extraOptions);
[[nodiscard]] std::string csvRow(const Run &run, const std::vector<std::string> &extraOptions);

/// Chrome-trace JSON (Perfetto): pid = run, tid = rank x 2 + stream, microseconds with three decimals.
[[nodiscard]] std::string chromeTrace(const std::vector<Run> &runs);

} // namespace shardscope
