// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/progress_line.h"
#include "engine/supervise/host_process.h"

#include <string>

namespace shardscope::cli {

/// The rank host as the commands see it: Ctrl-C cancels, progress goes to the terminal, and an end that is no success
/// is a Failure with cause and remedy in one line.
class HostSession
{
public:
    /// By default its ranks are all here, and started by nobody else.
    explicit HostSession(HostProcessOptions options = {}) : m_host(std::move(options)) {}

    /// Runs a command and gives its events on as they come. `label` ends the progress line. Returns how it ended: well,
    /// or with a check that failed. Throws Failure.
    EndEvent run(const shardscope::Command &command, const std::string &label, const HostProcess::OnEvent &onEvent);
    /// Where the next command stands among several.
    void setPosition(int done, int total);

    [[nodiscard]] HostProcess &host() { return m_host; }

private:
    void showProgress(const ProgressEvent &event, const std::string &label);

    InterruptWatch m_interrupts;
    HostProcess m_host;
    ProgressLine m_progress;
    RemainingTime m_remaining;
    int m_done = 0;
    int m_total = 1;
};

/// What happened, with the library's own words.
[[nodiscard]] std::string causeOf(const MessageEvent &message);
/// Cause, remedy and the library's own words in one line.
[[nodiscard]] std::string oneLine(const MessageEvent &message);

} // namespace shardscope::cli
