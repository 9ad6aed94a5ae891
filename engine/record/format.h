// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope {

// Numbers as people read them, the same in every locale: decimal point, three digits that matter.

/// "16 KiB", "1.5 MiB", "512 B": powers of 1024.
[[nodiscard]] std::string formatBinaryBytes(std::int64_t bytes);
/// "366.4 GiB", "9.56 GiB", "0.156 GiB": always GiB, so that sums and their parts have one unit.
[[nodiscard]] std::string formatGibibytes(std::int64_t bytes);
/// "850 ns", "12.3 us", "4.56 ms", "1.2 s".
[[nodiscard]] std::string formatTime(double nanoseconds);
/// "12", "2.0", "0.5", "0.03": what stands before the "x" of a ratio.
[[nodiscard]] std::string formatRatio(double ratio);
/// "1.64", "0.031": GB/s, GFLOP/s and the like.
[[nodiscard]] std::string formatNumber(double value);
/// "1.64 GB/s", "3.08 MB/s", of a rate in GB/s.
[[nodiscard]] std::string formatRate(double gigabytesPerSecond);
/// "37 %".
[[nodiscard]] std::string formatPercent(double share);

/// "3.1e-07": two digits, for errors over many orders of magnitude.
[[nodiscard]] std::string formatScientific(double value);

/// One line of RFC 4180: a cell with a comma, quote or line end is quoted. '\n' at the end.
[[nodiscard]] std::string csvLine(const std::vector<std::string> &cells);

/// `value` with that many decimals, trailing zeros cut: "12.5".
[[nodiscard]] std::string fixedDecimals(double value, int decimals);

} // namespace shardscope
