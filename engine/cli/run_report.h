// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"
#include "engine/record/statistics.h"
#include "engine/simulate/hardware.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// One run as tables: what ran, its collectives with reasons, times per pass, how near that is to the machine's peaks
/// (of `own`, if that is where it ran), memory, checks.
[[nodiscard]] std::string runReport(const Run &run, const Console &console, const Hardware *own = nullptr);

/// Where the numbers come from: measured here, recorded when and where, or predicted for which machine.
[[nodiscard]] std::string provenance(const Run &run);

/// What must be known of a record before its numbers are read: impossible records, an end that was none.
[[nodiscard]] std::vector<std::string> cautions(const Run &run);
/// Provenance of the first run, then the notes and cautions of all, each once: what stands under every headline.
[[nodiscard]] std::string origin(const std::vector<const Run *> &runs, const Console &console);

/// Why the status is 3, one line each; empty when all is well.
[[nodiscard]] std::vector<std::string> whatFailed(const Run &run, const RunSummary &summary);

} // namespace shardscope::cli
