// SPDX-License-Identifier: MIT
#include "engine/supervise/interrupt_flag.h"

#include <csignal>
#include <signal.h>

namespace shardscope {
namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note(int)
{
    noted = 1;
}

} // namespace

void noteInterrupts()
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {
        };
        sigaction(signal, nullptr, &before);
        // nohup asks to outlive the terminal.
        if (signal == SIGHUP && before.sa_handler == SIG_IGN)
            continue;
        struct sigaction action {
        };
        action.sa_handler = note;
        sigemptyset(&action.sa_mask);
        action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
        sigaction(signal, &action, nullptr);
    }
}

bool interruptNoted()
{
    return noted != 0;
}

} // namespace shardscope
