// SPDX-License-Identifier: MIT
// What timing costs: our timed all-reduce against a raw c10d loop, and a training step with timing on against off. Both
// alternate in one run on two ranks, because single times on a busy machine mean little.
#include "tests/benchmarks/bench_result.h"
#include "tests/benchmarks/generated_shards.h"

#include "engine/plan/plan.h"
#include "engine/runtime/communicators.h"
#include "engine/runtime/cpu_device.h"
#include "engine/runtime/libraries.h"

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <filesystem>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace shardscope;

constexpr int kRanks = 2;
constexpr int kRounds = 200;
constexpr int kSteps = 40; ///< of each kind

void prepareRank()
{
    const sched_param parameters{};
    sched_setscheduler(0, SCHED_BATCH, &parameters);
    keepFreedMemory();
    setThreads(1);
}

double elapsedUs(const std::function<void()> &body)
{
    const std::int64_t start = Stopwatch::rawNs();
    body();
    return double(Stopwatch::rawNs() - start) / 1000;
}

c10::intrusive_ptr<c10d::ProcessGroupGloo> rawGroup(const std::string &path, int rank)
{
    const auto options = c10d::ProcessGroupGloo::Options::create(std::chrono::seconds(30));
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForInterface("lo"));
    options->threads = 1;
    return c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::FileStore>(path, kRanks), rank, kRanks,
                                                       options);
}

/// 1 MB all-reduce: the executor's communicator with its counting and timing, and c10d called by hand.
void benchAllReduce(const std::string &path, Communicator &communicator)
{
    const auto raw = rawGroup(path, communicator.rank());
    at::Tensor tensor = at::zeros({1 << 18}, at::kFloat);
    std::vector<at::Tensor> tensors{tensor};
    std::vector<double> ours;
    std::vector<double> reference;
    for (int round = 0; round < kRounds; ++round) {
        communicator.barrier();
        ours.push_back(elapsedUs([&] { communicator.allReduce(tensor, Algorithm::Library); }));
        communicator.barrier();
        reference.push_back(elapsedUs([&] { raw->allreduce(tensors)->wait(); }));
    }
    if (communicator.rank() == 0)
        printResult({.name = "timed all-reduce over a raw c10d Gloo loop, 1 MB, N = 2",
                     .ours = medianOf(ours),
                     .reference = medianOf(reference),
                     .unit = "us",
                     .lowerIsBetter = true,
                     .goal = 1.05});
}

void benchTiming(Communicators &groups, Stopwatch &stopwatch)
{
    Experiment experiment;
    experiment.mesh.setExtent(MeshAxis::Tp, kRanks);
    experiment.hidden = 512;
    experiment.ffn = 2048;
    const Plan plan = buildPlan(experiment);
    Executor executor(plan, groups);
    executor.setInputs(generatedShards(plan, groups.rank()));
    std::vector<double> timed;
    std::vector<double> untimed;
    for (int round = 0; round < kSteps; ++round)
        for (const bool on : {round % 2 == 0, round % 2 != 0}) { // neither always goes first
            stopwatch.setRunning(on);
            Trace trace;
            groups.world().barrier();
            (on ? timed : untimed).push_back(elapsedUs([&] { executor.run(trace); }));
        }
    if (groups.rank() == 0)
        printResult({.name = "training step with timing on over off, MLP h 512, 256 tokens, N = 2",
                     .ours = medianOf(timed),
                     .reference = medianOf(untimed),
                     .unit = "us",
                     .lowerIsBetter = true,
                     .goal = 1.02});
}

} // namespace

int main()
{
    std::string folder = (std::filesystem::temp_directory_path() / "shardscope-bench-XXXXXX").string();
    if (!mkdtemp(folder.data()))
        return EXIT_FAILURE;
    for (int rank = 0; rank < kRanks; ++rank) {
        if (fork() != 0)
            continue;
        try {
            prepareRank();
            MeetingPlace place(folder + "/ours", kRanks);
            CpuDevice device(place);
            Communicators groups(device, "bench", rank, kRanks, std::chrono::seconds(30));
            benchAllReduce(folder + "/raw", groups.world());
            benchTiming(groups, device.stopwatch());
            groups.world().barrier();
        } catch (const std::exception &error) {
            std::fprintf(stderr, "bench_runtime: %s\n", error.what());
            _exit(EXIT_FAILURE);
        }
        _exit(EXIT_SUCCESS);
    }
    bool good = true;
    for (int status = 0; wait(&status) > 0;)
        good = good && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    std::filesystem::remove_all(folder);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
