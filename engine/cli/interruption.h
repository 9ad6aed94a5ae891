// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>
#include <string>

namespace shardscope::cli {

/// From here on Ctrl-C, SIGTERM and SIGHUP end the program at once, with one word and status 130; the rank host and its
/// ranks go with it. While an InterruptWatch lives they wait for it instead.
void endWhenInterrupted();

/// A file that must not be left behind then; empty: none.
void discardWhenInterrupted(const std::string &path);

/// Lets them through for a call that may never return, such as a write to a pipe that nobody reads.
class InterruptsAllowed
{
public:
    InterruptsAllowed();
    ~InterruptsAllowed();
    InterruptsAllowed(const InterruptsAllowed &) = delete;
    InterruptsAllowed &operator=(const InterruptsAllowed &) = delete;

private:
    sigset_t m_before{};
};

} // namespace shardscope::cli
