// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/interruption.h"

#include <csignal>
#include <string_view>
#include <unistd.h>

namespace shardscope {

namespace {

constexpr int kCancelled = 130;

extern "C" void endExport(int)
{
    // Nothing here may allocate. A picture is written under another name until it is whole.
    constexpr std::string_view kWord = "shardscope: cancelled\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWord.data(), kWord.size());
    ::_exit(kCancelled);
}

} // namespace

void endExportWhenInterrupted()
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        // nohup asks to outlive the terminal.
        const auto before = std::signal(signal, &endExport);
        if (signal == SIGHUP && before == SIG_IGN)
            std::signal(signal, SIG_IGN);
    }
}

} // namespace shardscope
