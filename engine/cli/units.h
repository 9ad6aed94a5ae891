// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace shardscope::cli {

// The numbers of engine/record/format.h, as tables write them: with their unit, and "-" for what is undefined.

/// "1.5 MiB", "512 B".
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// "1.72 ms", "317 us", "2.1 s".
[[nodiscard]] std::string durationText(std::optional<double> nanoseconds);
/// "0.66 GB/s", GB = 1e9.
[[nodiscard]] std::string bandwidthText(std::optional<double> gigabytesPerSecond);
/// "2.0 x".
[[nodiscard]] std::string ratioText(std::optional<double> ratio);
/// "35 %".
[[nodiscard]] std::string percentText(std::optional<double> share);
/// "3.1e-07"; "NaN" for a negative value, as CheckEvent::relativeError says it.
[[nodiscard]] std::string scientificText(double value);

} // namespace shardscope::cli
