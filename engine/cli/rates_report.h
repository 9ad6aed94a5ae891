// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"
#include "engine/record/documents.h"
#include "engine/record/statistics.h"
#include "engine/simulate/hardware.h"

#include <string>

namespace shardscope::cli {

/// How near the run comes to the peaks of its machine, with each peak's source and what limits it; empty where no peak
/// is known. `own`: this machine as it was measured, or null.
[[nodiscard]] std::string ratesTable(const Run &run, const RunSummary &summary, const Console &console,
                                     const Hardware *own);

/// "rates" of the RUN document: rates per second, of FLOP or bytes; peak and share are null where none is known.
[[nodiscard]] DocumentParts ratesPart(const Run &run, const Hardware *own);

} // namespace shardscope::cli
