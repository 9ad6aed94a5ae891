// SPDX-License-Identifier: MIT
// shardscope-rank-host and shardscope-rank-host-cuda: LibTorch loaded, ranks forked, one stream. Wires supervise and
// runtime.
#include "engine/host/host_parts.h"
#include "engine/record/exit_code.h"
#include "engine/runtime/libraries.h"
#include "engine/simulate/simulate.h"
#include "engine/supervise/machine_facts.h"
#include "engine/supervise/supervisor.h"

#include <cstdio>
#include <string_view>

namespace {

using namespace shardscope;

std::map<std::string, std::string> libraries()
{
    std::map<std::string, std::string> all = libraryVersions();
    all.merge(hostLibraries());
    return all;
}

HelloEvent hello(const std::vector<GpuFacts> &gpus)
{
    HelloEvent event;
    event.engineVersion = SHARDSCOPE_VERSION;
    event.machine.backend = gpus.empty() ? "gloo" : "nccl";
    event.machine.host = machineTitle();
    event.machine.libraries = libraries();
    event.availableBytes = availableMemoryBytes();
    return event;
}

int serve(std::optional<Launch> launch = std::nullopt)
{
    HostOptions options;
    options.launch = std::move(launch);
    options.gpus = hostGpus();
    options.rankMain = hostRankMain(options.gpus);
    options.hello = [gpus = options.gpus] { return hello(gpus); };
    options.estimateBytesPerRank = estimatedBytesPerRank;
    return Supervisor(std::move(options)).serve();
}

/// As the one rank that torchrun, mpirun, srun or somebody by hand has started this process as.
int join()
{
    auto launch = readLaunch(environmentVariable);
    if (launch && *launch)
        return serve(std::move(launch.value()));
    const std::string problem =
        launch ? "join: no launcher has started this process as a rank" : english(launch.problem());
    std::fprintf(stderr, "%s: %s\n", hostName(), problem.c_str());
    return kBadArguments;
}

int printVersion()
{
    std::printf("%s %s\n", hostName(), SHARDSCOPE_VERSION);
    for (const auto &[library, version] : libraries())
        std::printf("%s %s\n", library.c_str(), version.c_str());
    return 0;
}

} // namespace

int main(int count, char **words)
{
    const std::string_view word = count == 2 ? words[1] : "";
    if (word == "serve")
        return serve();
    if (word == "join")
        return join();
    if (word == "--version")
        return printVersion();
    std::fprintf(stderr, "%s: allowed are serve, join and --version; shardscope-engine starts it by itself\n",
                 hostName());
    return kBadArguments;
}
