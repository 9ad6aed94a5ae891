// SPDX-License-Identifier: MIT
#include "engine/cli/interruption.h"

#include "engine/cli/arguments.h"

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>
#include <unistd.h>

namespace shardscope::cli {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// Read by a signal handler: nothing that allocates.
std::array<char, PATH_MAX> unfinishedFile{};

sigset_t signalSet()
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : kSignals)
        sigaddset(&signals, signal);
    return signals;
}

extern "C" void endNow(int)
{
    if (unfinishedFile[0] != '\0')
        unlink(unfinishedFile.data());
    constexpr std::string_view kWord = "shardscope-engine: cancelled\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kWord.data(), kWord.size());
    _exit(kCancelled);
}

} // namespace

void endWhenInterrupted()
{
    struct sigaction action {
    };
    action.sa_handler = endNow;
    action.sa_mask = signalSet();
    for (const int signal : kSignals) {
        struct sigaction before {
        };
        sigaction(signal, nullptr, &before);
        // nohup asks to outlive the terminal.
        if (signal != SIGHUP || before.sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
    }
    // Whoever started this program may have blocked them.
    const sigset_t signals = signalSet();
    sigprocmask(SIG_UNBLOCK, &signals, nullptr);
}

void discardWhenInterrupted(const std::string &path)
{
    sigset_t before;
    const sigset_t signals = signalSet();
    sigprocmask(SIG_BLOCK, &signals, &before);
    unfinishedFile.fill('\0');
    if (path.size() < unfinishedFile.size())
        std::ranges::copy(path, unfinishedFile.begin());
    sigprocmask(SIG_SETMASK, &before, nullptr);
}

InterruptsAllowed::InterruptsAllowed()
{
    const sigset_t signals = signalSet();
    sigprocmask(SIG_UNBLOCK, &signals, &m_before);
}

InterruptsAllowed::~InterruptsAllowed()
{
    sigprocmask(SIG_SETMASK, &m_before, nullptr);
}

} // namespace shardscope::cli
