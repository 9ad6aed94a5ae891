// SPDX-License-Identifier: MIT
#pragma once

namespace shardscope::cli {

/// Throws Failure (exit 2) when a launcher has started this program as one of several ranks: joining them is not in
/// this version, and each would start ranks of its own.
void refuseLaunchers();

} // namespace shardscope::cli
