// SPDX-License-Identifier: MIT
#include "engine/cli/measure.h"
#include "engine/cli/run_source.h"
#include "engine/simulate/simulate.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace shardscope::cli {
namespace {

/// A plan for thousands of ranks is a hundred thousand small pieces. What the heap gives back to the system and asks
/// for again meanwhile costs a third of the time that plan and simulation take, and the first use of each small page a
/// fifth.
void prepareHeap()
{
    constexpr int kRoom = 64 << 20;
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_MAX, 0); // M_MMAP_THRESHOLD ends at 32 MiB
    mallopt(M_TOP_PAD, kRoom);
    const auto address = [] { return reinterpret_cast<std::uintptr_t>(::sbrk(0)); };
    const std::uintptr_t before = address();
    void *volatile room = std::malloc(kRoom); // the heap grows now; volatile: no compiler leaves it out
    std::free(room);
    constexpr std::uintptr_t kHugePage = 2 << 20;
    const std::uintptr_t begin = (before + kHugePage - 1) / kHugePage * kHugePage;
    if (address() > begin)
        ::madvise(reinterpret_cast<void *>(begin), address() - begin, MADV_HUGEPAGE);
}

class PredictedRuns : public RunSource
{
public:
    explicit PredictedRuns(Hardware hardware) : m_hardware(std::move(hardware)) { prepareHeap(); }

    void admit(const Experiment &experiment) override { cli::admit(experiment, m_hardware); }

    Run run(const Experiment &experiment) override
    {
        const auto start = std::chrono::steady_clock::now();
        Run run = simulate(buildPlan(experiment, m_hardware.transport), m_hardware);
        // As of a run: what the command took, not what it found out.
        run.end->elapsedNs = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
        run.id = std::to_string(++m_count);
        run.engineVersion = SHARDSCOPE_VERSION;
        return run;
    }

    [[nodiscard]] const Hardware *ownMachine() const override
    {
        return findHardware(m_hardware.name) ? nullptr : &m_hardware;
    }

private:
    Hardware m_hardware;
    int m_count = 0;
};

} // namespace

std::unique_ptr<RunSource> predictedRuns(Hardware hardware)
{
    return std::make_unique<PredictedRuns>(std::move(hardware));
}

void admit(const Experiment &experiment, const Hardware &hardware)
{
    if (experiment.backend == Backend::Cpu && hardware.transport == Transport::Nccl)
        throw badArgument("--backend cpu: not what carries the ranks of " + hardware.name + "; allowed: auto, cuda");
    if (experiment.backend == Backend::Cuda && hardware.transport == Transport::Gloo)
        throw badArgument("--backend cuda: not what carries the ranks of " + hardware.name + "; allowed: auto, cpu");
}

Hardware hardwareNamed(const std::string &name, DType dtype, int ranks)
{
    if (name == "this")
        return measureThisMachine(dtype, ranks, Backend::Auto);
    if (const Hardware *preset = findHardware(name))
        return *preset;
    std::string allowed = "this";
    for (const Hardware &preset : hardwarePresets())
        allowed += ", " + preset.name;
    throw badArgument("--hardware " + name + ": no such preset; allowed: " + allowed);
}

std::unique_ptr<RunSource> runsFor(const Arguments &arguments, const Experiment &first)
{
    if (arguments.hardware.empty())
        return measuredRuns();
    return predictedRuns(hardwareNamed(arguments.hardware, first.dtype, first.ranks()));
}

} // namespace shardscope::cli
