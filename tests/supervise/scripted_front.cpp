// SPDX-License-Identifier: MIT
// A front that runs one long experiment on a rank host and tells the host's number: somebody to be killed.
#include "engine/supervise/host_process.h"

#include <cstdio>

int main()
{
    using namespace shardscope;
    HostProcess host;
    InterruptWatch interrupts;
    if (host.start(&interrupts))
        return 4;
    std::printf("%d\n", static_cast<int>(host.pid()));
    std::fflush(stdout);
    RunCommand command;
    command.id = "long";
    command.experiment = {{"ranks", "4"}, {"steps", "100000"}};
    return host
        .run(
            command, [](const Event &) {}, &interrupts)
        .exitCode;
}
