// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/arguments.h"

#include <string>

namespace shardscope::cli {

/// What the program does, its subcommands, the exit status.
[[nodiscard]] std::string generalHelp();
/// Usage, options with values, defaults and units, two examples.
[[nodiscard]] std::string helpOf(const Command &command);

} // namespace shardscope::cli
