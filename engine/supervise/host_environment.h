// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope {

/// Environment variables that must stand before LibTorch and its BLAS are loaded. A value that the user has set wins.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// What to add to this process's environment for a rank host.
[[nodiscard]] Environment hostEnvironment();

/// The value for OPENBLAS_CORETYPE when OpenBLAS would run on a lesser core than the CPU offers: releases older than
/// the CPU fall back to kernels of 2004 (33 GFLOP/s instead of 158 on one core). `flags` as in /proc/cpuinfo, `core` as
/// openblas_get_corename() says.
[[nodiscard]] std::optional<std::string> betterBlasCore(std::string_view flags, std::string_view core);

/// The core for which the system's BLAS would choose its kernels, asked in a short-lived child; empty when it is no
/// OpenBLAS or knows only one core.
[[nodiscard]] std::string detectedBlasCore();

/// The flags line of the first CPU.
[[nodiscard]] std::string cpuFlags();

} // namespace shardscope
