// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"
#include "engine/supervise/file_descriptor.h"

#include <string>
#include <sys/types.h>
#include <variant>

namespace shardscope {

/// A rank host that has been started: its ends of the three streams.
struct LaunchedHost {
    pid_t pid = -1;
    FileDescriptor commands;
    FileDescriptor events;
    FileDescriptor errors;
};

/// Starts `program word` in a process group of its own, so that the terminal's Ctrl-C reaches the front alone.
[[nodiscard]] std::variant<LaunchedHost, MessageEvent> launchHost(const std::string &program, const std::string &word);

/// Why the program could not be executed: missing, or the system's reason.
[[nodiscard]] MessageEvent describeExecFailure(const std::string &program, int error);

/// Why a host that once started has ended, by its wait status and its last words on stderr.
[[nodiscard]] MessageEvent describeHostEnd(const std::string &program, int waitStatus, const std::string &errorOutput);

} // namespace shardscope
