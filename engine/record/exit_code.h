// SPDX-License-Identifier: MIT
#pragma once

namespace shardscope {

/// The exit status of every program and command.
enum ExitCode {
    kDone = 0,
    kBadArguments = 2, ///< also: what was asked for cannot be had on this machine
    kCheckFailed = 3,
    kFailed = 4, ///< a rank, a file, the engine
    kCancelled = 130
};

} // namespace shardscope
