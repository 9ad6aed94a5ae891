// SPDX-License-Identifier: MIT
// shardscope-rank-host: LibTorch loaded, ranks forked, one stream. Wires supervise and runtime.
#include "engine/runtime/libraries.h"
#include "engine/runtime/rank.h"
#include "engine/simulate/simulate.h"
#include "engine/supervise/machine_facts.h"
#include "engine/supervise/supervisor.h"

#include <cstdio>
#include <string_view>

namespace {

using namespace shardscope;

constexpr int kBadArguments = 2;

HelloEvent hello()
{
    HelloEvent event;
    event.engineVersion = SHARDSCOPE_VERSION;
    event.machine.backend = "gloo";
    event.machine.host = machineTitle();
    event.machine.libraries = libraryVersions();
    return event;
}

int serve()
{
    HostOptions options;
    options.rankMain = rankMain;
    options.hello = hello;
    options.estimateBytesPerRank = estimatedBytesPerRank;
    return Supervisor(std::move(options)).serve();
}

int printVersion()
{
    std::printf("shardscope-rank-host %s\n", SHARDSCOPE_VERSION);
    for (const auto &[library, version] : libraryVersions())
        std::printf("%s %s\n", library.c_str(), version.c_str());
    return 0;
}

} // namespace

int main(int count, char **words)
{
    const std::string_view word = count == 2 ? words[1] : "";
    if (word == "serve")
        return serve();
    if (word == "--version")
        return printVersion();
    std::fputs("shardscope-rank-host: allowed are serve and --version; shardscope-engine starts it by itself\n",
               stderr);
    return kBadArguments;
}
