// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/arguments.h"
#include "engine/cli/console.h"
#include "engine/record/run.h"
#include "engine/simulate/hardware.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// Runs in any format. Several runs: tables one below the other, JSON documents in a list. `own`: this machine as it
/// was measured for them, whose peaks they are held against; null where it was not.
[[nodiscard]] std::string render(const std::vector<Run> &runs, Format format, const Console &console,
                                 const Hardware *own = nullptr);

/// The RUN documents of at least one run in a JSON list, also when it is only one.
[[nodiscard]] std::string documentList(const std::vector<Run> &runs, const Hardware *own = nullptr);

/// 0, or 3 with the reason on stderr when a check failed or what ran was not what was planned; `named` says of which
/// run. A recorded run is held to the same. What a document has no key for, the cautions, goes to stderr too.
[[nodiscard]] int statusOf(const std::vector<Run> &runs, bool named = false);

} // namespace shardscope::cli
