// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/run.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace shardscope {

// How values stand in the JSON documents. Undefined is null; digits beyond the measurement's are cut.

using Json = nlohmann::ordered_json;

/// Nanoseconds as microseconds with three decimals.
[[nodiscard]] Json microseconds(const std::optional<double> &nanoseconds);
/// Six significant digits.
[[nodiscard]] Json number(const std::optional<double> &value);

/// Every option of the experiment, resolved: '-' becomes '_', switches are booleans, numbers are numbers.
[[nodiscard]] Json experimentJson(const Run &run);
/// "auto" replaced by what ran.
[[nodiscard]] std::string resolvedBackend(const Run &run);

/// What ran it, of several hosts who is where.
[[nodiscard]] Json machineJson(const Machine &machine);

/// Indented, '\n' at the end; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string dumped(const Json &document);

} // namespace shardscope
