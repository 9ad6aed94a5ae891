// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace shardscope::cli {

// Numbers for people; '.' in every locale. What is undefined is "-".

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
/// "3.1e-07".
[[nodiscard]] std::string scientificText(double value);
/// `digits` significant digits, no exponent.
[[nodiscard]] std::string numberText(double value, int digits = 3);

} // namespace shardscope::cli
