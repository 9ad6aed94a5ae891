// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

namespace shardscope {

// Numbers as the window and every export write them: '.' as decimal point whatever the locale, three significant
// digits, no trailing zeros, unit after a no-break space. Undefined values are a dash.

/// What stands for an undefined value, such as 0/0.
[[nodiscard]] QString undefinedText();

/// "0.0123", "1.5", "128", "12345": at least `digits` significant digits, integers in full.
[[nodiscard]] QString formatNumber(double value, int digits = 3);
/// "640 ns", "12.3 µs", "4.1 ms", "1.25 s".
[[nodiscard]] QString formatDuration(double nanoseconds);
[[nodiscard]] QString formatDuration(const std::optional<double> &nanoseconds);
/// "16 KiB", "1.5 MiB": powers of 1024. Fractions of a byte (per token) stay fractions.
[[nodiscard]] QString formatBytes(double bytes);
/// "1 572 864 B": every digit, in groups of three.
[[nodiscard]] QString formatExactBytes(std::int64_t bytes);
[[nodiscard]] QString formatGrouped(std::int64_t value);
/// "1.07 GFLOP": operations, in steps of 1000.
[[nodiscard]] QString formatFlop(double operations);
/// "12.3 GB/s", GB = 1e9 bytes.
[[nodiscard]] QString formatGBs(const std::optional<double> &gigabytesPerSecond);
/// "63 %", "6.3 %", "<0.1 %", ">99 %" of a share between 0 and 1.
[[nodiscard]] QString formatShare(double share);
/// "2×", "3.4×", "0.5×": two digits, as the engine's sentences.
[[nodiscard]] QString formatRatio(const std::optional<double> &ratio);

} // namespace shardscope
