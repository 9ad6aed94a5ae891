// SPDX-License-Identifier: MIT
// Does tensor parallelism pay on this machine? The same MLP forward on one rank and on two, one compute thread each, in
// turn, through the engine's command line.
#include "tests/benchmarks/bench_result.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace {

std::string outputOf(const std::string &command)
{
    FILE *pipe = popen(command.c_str(), "r");
    if (!pipe)
        return {};
    std::string output;
    std::array<char, 4096> buffer{};
    while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
        output.append(buffer.data(), count);
    return pclose(pipe) == 0 ? output : std::string();
}

/// Median step in microseconds of the MLP on `ranks` ranks; nothing when the run failed.
std::optional<double> stepUs(const std::filesystem::path &engine, int ranks)
{
    const std::string output = outputOf("'" + engine.string() +
                                        "' run --scheme mlp --phase prefill --hidden 2048 --batch 4"
                                        " --sequence 64 --threads 1 --steps 9 --warmup 2"
                                        " --format json --ranks " +
                                        std::to_string(ranks));
    const auto document = nlohmann::json::parse(output, nullptr, false);
    if (document.is_discarded() || !document["totals"]["step"]["elapsed_us"].is_number())
        return std::nullopt;
    return document["totals"]["step"]["elapsed_us"].get<double>();
}

} // namespace

int main()
{
    const auto engine = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "shardscope-engine";
    std::vector<double> one;
    std::vector<double> two;
    for (int turn = 0; turn < 5; ++turn) {
        const auto stepOfOne = stepUs(engine, 1);
        const auto stepOfTwo = stepUs(engine, 2);
        if (!stepOfOne || !stepOfTwo) {
            std::fprintf(stderr, "bench_ranks: %s did not finish a run\n", engine.c_str());
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
