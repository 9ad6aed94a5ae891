// SPDX-License-Identifier: MIT
// Does tensor parallelism pay on this machine? The same MLP forward on one rank and on two, one compute thread each, in
// turn, through the engine's command line.
#include "tests/benchmarks/bench_result.h"
#include "tests/benchmarks/engine_output.h"

#include <cstdlib>
#include <optional>
#include <string>

namespace {

/// Median step in microseconds of the MLP on `ranks` ranks; nothing when the run failed.
std::optional<double> stepUs(int ranks)
{
    const auto document = shardscope::engineDocument("run --scheme mlp --phase prefill --hidden 2048 --batch 4"
                                                     " --sequence 64 --threads 1 --steps 9 --warmup 2 --ranks " +
                                                     std::to_string(ranks));
    if (document.is_discarded() || !document["totals"]["step"]["elapsed_us"].is_number())
        return std::nullopt;
    return document["totals"]["step"]["elapsed_us"].get<double>();
}

} // namespace

int main()
{
    std::vector<double> one;
    std::vector<double> two;
    for (int turn = 0; turn < 5; ++turn) {
        const auto stepOfOne = stepUs(1);
        const auto stepOfTwo = stepUs(2);
        if (!stepOfOne || !stepOfTwo) {
            std::fprintf(stderr, "bench_ranks: shardscope-engine did not finish a run\n");
            return EXIT_FAILURE;
        }
        one.push_back(*stepOfOne);
        two.push_back(*stepOfTwo);
    }
    shardscope::printResult({.name = "MLP h 2048, 256 tokens, forward, one thread a rank: N = 1 over N = 2",
                             .ours = shardscope::medianOf(one),
                             .reference = shardscope::medianOf(two),
                             .unit = "us",
                             .lowerIsBetter = false,
                             .goal = 1.7});
    return EXIT_SUCCESS;
}
