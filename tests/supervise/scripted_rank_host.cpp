// SPDX-License-Identifier: MIT
// A rank host with scripted ranks: the real supervisor without LibTorch. SHARDSCOPE_TEST_SCRIPT says what goes wrong.
#include "engine/supervise/supervisor.h"
#include "tests/supervise/scripted_rank.h"

#include <cstdlib>

// Under the address sanitizer, which would turn SIGSEGV into an exit status; nobody calls it otherwise.
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options()
{
    return "handle_segv=0";
}

int main()
{
    using namespace shardscope;
    HostOptions options;
    options.rankMain = scriptedRank(readScript(std::getenv("SHARDSCOPE_TEST_SCRIPT")));
    options.hello = [] {
        HelloEvent hello;
        hello.engineVersion = "0.0.0-scripted";
        hello.machine.backend = "gloo";
        return hello;
    };
    // Four bytes for each of h x f weights: what is refused depends on the machine, so tests ask for far too much.
    options.estimateBytesPerRank = [](const Experiment &experiment) {
        return experiment.hidden * experiment.ffn * 4 / experiment.ranks();
    };
    options.silenceMargin = std::chrono::milliseconds(1000);
    options.workMargin = std::chrono::milliseconds(3000);
    return Supervisor(options).serve();
}
