// SPDX-License-Identifier: MIT
#pragma once

namespace shardscope::cli {

/// What a command is to several programs that something has started with it as ranks.
enum class Together {
    Join,      ///< their ranks work together
    FirstOnly, ///< it needs no ranks, so the first one does it and the others nothing
    Alone,     ///< each does it for itself
};

} // namespace shardscope::cli
