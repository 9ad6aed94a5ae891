// SPDX-License-Identifier: MIT
// What timing costs on a GPU: a training step with events against one without, alternating in one run on two ranks.
// Ranks that share a GPU take turns on it, so that their ratio is printed and judged by a goal that they always meet.
// Without a GPU nothing is measured, and that is said.
#include "tests/benchmarks/bench_result.h"
#include "tests/benchmarks/generated_shards.h"

#include "engine/cuda/cuda_device.h"
#include "engine/plan/plan.h"
#include "engine/runtime/communicators.h"
#include "engine/runtime/torch_types.h"
#include "engine/supervise/gpu_probe.h"

#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace shardscope;

constexpr int kRanks = 2;
constexpr int kRounds = 40;
constexpr double kNotJudged = 1e9;

struct Rank {
    int rank = 0;
    bool shared = false;
    CudaDevice &device;

    [[nodiscard]] double goal(double judged) const { return shared ? kNotJudged : judged; }
    [[nodiscard]] std::string title(const char *what) const
    {
        return std::string(what) + (shared ? ", ranks share one GPU: not judged" : ", N = 2, " + device.title(1));
    }
};

void benchTiming(const Rank &own, Communicators &groups)
{
    Experiment experiment;
    experiment.mesh.setExtent(MeshAxis::Tp, kRanks);
    experiment.hidden = 4096;
    experiment.ffn = 16384;
    experiment.sequence = 512;
    const Plan plan = buildPlan(experiment, Transport::Nccl);
    Executor executor(plan, groups);
    executor.setInputs(generatedShards(plan, own.rank));
    std::vector<double> timed;
    std::vector<double> untimed;
    for (int round = 0; round < kRounds; ++round)
        for (const bool on : {round % 2 == 0, round % 2 != 0}) { // neither always goes first
            own.device.stopwatch().setRunning(on);
            Trace trace;
            groups.world().barrier();
            const std::int64_t start = Stopwatch::rawNs();
            executor.run(trace);
            (on ? timed : untimed).push_back(double(Stopwatch::rawNs() - start) / 1000);
        }
    own.device.stopwatch().setRunning(true);
    if (own.rank == 0)
        printResult({.name = own.title("training step with timing on over off, MLP h 4096, 2048 tokens"),
                     .ours = medianOf(timed),
                     .reference = medianOf(untimed),
                     .unit = "us",
                     .goal = own.goal(1.01)});
}

void run(int rank, const std::string &folder, const std::vector<GpuFacts> &gpus)
{
    MeetingPlace place(folder + "/meeting", kRanks);
    CudaDevice::Choice choice;
    choice.rank = rank;
    choice.ordinal = rank % int(gpus.size());
    choice.name = gpus[std::size_t(choice.ordinal)].name;
    choice.shared = int(gpus.size()) < kRanks;
    CudaDevice device(choice, place);
    Communicators groups(device, "bench", rank, kRanks, std::chrono::seconds(60));
    const Rank own{rank, choice.shared, device};
    benchTiming(own, groups);
    groups.world().barrier();
}

} // namespace

int main()
{
    const GpuProbe probe = probeGpus();
    if (probe.problem) {
        std::fprintf(stderr, "bench_gpu_timing: nothing measured: %s\n", english(probe.problem->text).c_str());
        return EXIT_SUCCESS;
    }
    std::string folder = (std::filesystem::temp_directory_path() / "shardscope-bench-XXXXXX").string();
    if (!mkdtemp(folder.data()))
        return EXIT_FAILURE;
    for (int rank = 0; rank < kRanks; ++rank) {
        if (fork() != 0)
            continue;
        try {
            run(rank, folder, probe.gpus);
        } catch (const std::exception &error) {
            std::fprintf(stderr, "bench_gpu_timing: rank %d: %s\n", rank, error.what());
            _exit(EXIT_FAILURE);
        }
        _exit(EXIT_SUCCESS);
    }
    bool good = true;
    for (int status = 0; wait(&status) > 0;)
        good = good && status == 0;
    std::filesystem::remove_all(folder);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
