// SPDX-License-Identifier: MIT
// A rank host whose ranks compute on the CPU and wait for a fake GPU at the end of every step. FAKE_GPU says what rank
// 1 meets there: "hang", "error" (NCCL's asynchronous one); anything else: nothing.
#include "tests/cuda/fake_gpu.h"

#include "engine/cuda/completion.h"
#include "engine/cuda/nccl_group.h"
#include "engine/runtime/cpu_device.h"
#include "engine/runtime/rank.h"
#include "engine/supervise/supervisor.h"

#include <c10/core/Device.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace {

using namespace shardscope;

/// More than the check takes, fewer than there are steps.
constexpr int kStepsThatAreWell = 30;

class FakeGpuDevice final : public ComputeDevice
{
public:
    FakeGpuDevice(MeetingPlace &place, int rank, std::string fate)
        : m_place(place), m_cpu(place), m_rank(rank), m_fate(std::move(fate)), m_stream(fake::makeStream()),
          m_stopwatch(
              fake::cuda(), [this] { return m_stream; }, fake::hostNs)
    {
    }

    [[nodiscard]] std::string title(int) const override { return "fake GPU"; }
    [[nodiscard]] c10::Device torch() const override { return m_cpu.torch(); }
    [[nodiscard]] Transport transport() const override { return m_cpu.transport(); }
    [[nodiscard]] Stopwatch &stopwatch() override { return m_stopwatch; }
    [[nodiscard]] std::unique_ptr<Communicator> join(const GroupJoin &group) override
    {
        m_limit = group.timeout;
        return std::make_unique<GlooCommunicator>(m_place, group.name, group.rank, int(group.worldRanks.size()),
                                                  group.timeout, m_stopwatch);
    }
    [[nodiscard]] std::unique_ptr<TransferLane> collectiveLane() override { return m_cpu.collectiveLane(); }
    [[nodiscard]] std::unique_ptr<TransferLane> sendLane() override { return m_cpu.sendLane(); }
    [[nodiscard]] NotedTime noteTime() override { return m_cpu.noteTime(); }
    void holdUntil(const NotedTime &began, std::chrono::nanoseconds duration) override
    {
        m_cpu.holdUntil(began, duration);
    }
    void settle() override;
    [[nodiscard]] const std::vector<DType> &workingDtypes() override { return m_cpu.workingDtypes(); }
    [[nodiscard]] std::optional<std::string> missingKernel(DType dtype) override { return m_cpu.missingKernel(dtype); }
    [[nodiscard]] std::vector<Text> remarks(const Experiment &experiment) override { return m_cpu.remarks(experiment); }
    void releaseUnusedMemory() override { m_cpu.releaseUnusedMemory(); }

private:
    void meetItsFate();

    MeetingPlace &m_place;
    CpuDevice m_cpu;
    int m_rank;
    std::string m_fate;
    cudaStream_t m_stream;
    CudaStopwatch m_stopwatch;
    std::optional<NcclGroup> m_group;
    std::chrono::milliseconds m_limit{10000};
    int m_settled = 0;
};

/// After a few steps that were well.
void FakeGpuDevice::meetItsFate()
{
    if (m_rank != 1 || ++m_settled != kStepsThatAreWell)
        return;
    if (m_fate == "hang")
        fake::hang(m_stream);
    if (m_fate != "error")
        return;
    fake::NcclBehaviour failing;
    failing.asyncError = ncclRemoteError;
    failing.lastError = "the fake's peer has gone";
    fake::behave(failing);
    NcclGroup::Settings settings;
    fake::nccl().getUniqueId(&settings.id);
    m_group.emplace(fake::nccl(), settings);
    float value = 0;
    m_group->allReduce({&value, 1, ncclFloat32}, ncclSum, m_stream);
}

void FakeGpuDevice::settle()
{
    meetItsFate();
    CudaEvent last(fake::cuda(), CudaEvent::Timing::Off);
    last.record(m_stream);
    CompletionWatch watch;
    watch.stopwatch = &m_stopwatch;
    watch.last = {&last};
    watch.limit = m_limit;
    watch.requireHealthy = [this] {
        if (m_group)
            m_group->requireHealthy();
    };
    waitForCompletion(watch);
}

} // namespace

int main()
{
    const char *fate = std::getenv("FAKE_GPU");
    HostOptions options;
    options.hello = [] { return HelloEvent{}; };
    options.estimateBytesPerRank = [](const Experiment &) { return std::int64_t{1} << 20; };
    options.rankMain = [fate](const RankContext &context) {
        return rankMain(context, [&](Backend, MeetingPlace &place) -> std::unique_ptr<ComputeDevice> {
            return std::make_unique<FakeGpuDevice>(place, context.rank, fate ? fate : "");
        });
    };
    return Supervisor(std::move(options)).serve();
}
