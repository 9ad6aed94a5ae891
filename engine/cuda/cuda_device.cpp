// SPDX-License-Identifier: MIT
#include "engine/cuda/cuda_device.h"

#include "engine/cuda/cuda_lanes.h"
#include "engine/record/format.h"
#include "engine/runtime/kernels.h"
#include "engine/runtime/torch_headers.h"

#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>
#include <utility>

namespace shardscope {

namespace {

/// Runs on a thread of the CUDA driver, in the stream's order; it may make no CUDA call.
void runOnTheWay(void *argument)
{
    const std::unique_ptr<std::function<void()>> work(static_cast<std::function<void()> *>(argument));
    (*work)();
}

int claimed(const CudaApi &api, int ordinal)
{
    requireCuda(api, api.setDevice(ordinal), "cudaSetDevice");
    return ordinal;
}

/// Products as their dtype says: nothing is rounded to TF32, and 16-bit products are summed in f32.
void keepFullPrecision()
{
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowFP16ReductionCuBLAS(false);
    at::globalContext().setAllowBF16ReductionCuBLAS(false);
}

} // namespace

/// Tells the device that it has come and gone, so that its errors are asked for while somebody waits.
class WatchedCommunicator final : public NcclCommunicator
{
public:
    WatchedCommunicator(CudaDevice &device, const GroupJoin &group)
        : NcclCommunicator(ncclApi(), device.m_place, group, *device.m_streams, *device.m_stopwatch), m_device(device)
    {
        device.m_groups.push_back(this);
    }
    ~WatchedCommunicator() override { m_device.m_groups.remove(this); }

private:
    CudaDevice &m_device;
};

CudaDevice::CudaDevice(const Choice &choice, MeetingPlace &place) : m_choice(choice), m_place(place)
{
    if (choice.shared)
        letRanksShareGpu(choice.rank);
    requireNcclVersion(ncclApi());
    const int ordinal = claimed(cudaApi(), choice.ordinal);
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    keepFullPrecision();
    m_streams = std::make_unique<CudaStreams>(cudaApi(), ordinal);
    m_stopwatch = std::make_unique<CudaStopwatch>(cudaApi(), [this] { return m_streams->current(); });
    m_collectives = m_streams->open();
    m_noiseFloorNs = m_stopwatch->noiseFloorNs();
}

CudaDevice::~CudaDevice() = default;

std::string CudaDevice::title(int) const
{
    return "GPU " + std::to_string(m_choice.ordinal) + ", " + m_choice.name;
}

c10::Device CudaDevice::torch() const
{
    return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(m_choice.ordinal)};
}

std::unique_ptr<Communicator> CudaDevice::join(const GroupJoin &group)
{
    m_limit = group.timeout;
    return std::make_unique<WatchedCommunicator>(*this, group);
}

std::unique_ptr<TransferLane> CudaDevice::collectiveLane()
{
    // Ranks that share a GPU take turns on it: what one computes must have ended before it waits for another in a
    // collective, or neither gets on.
    const auto beforeEach = m_choice.shared ? std::function<void()>([this] { settle(); }) : std::function<void()>();
    return std::make_unique<CollectiveLane>(*m_collectives, beforeEach);
}

std::unique_ptr<TransferLane> CudaDevice::sendLane()
{
    return std::make_unique<SendLane>();
}

void CudaDevice::order(std::function<void()> onTheWay)
{
    auto work = std::make_unique<std::function<void()>>(std::move(onTheWay));
    requireCuda(cudaApi(), cudaApi().launchHostFunc(m_streams->current(), runOnTheWay, work.get()),
                "cudaLaunchHostFunc");
    static_cast<void>(work.release()); // runOnTheWay() has it
}

NotedTime CudaDevice::noteTime()
{
    auto time = std::make_shared<std::atomic<std::int64_t>>(0);
    order([time] { time->store(Stopwatch::rawNs()); });
    return time;
}

void CudaDevice::holdUntil(const NotedTime &began, std::chrono::nanoseconds duration)
{
    order([began, duration] {
        const std::chrono::nanoseconds missing =
            std::chrono::nanoseconds(began->load() - Stopwatch::rawNs()) + duration;
        if (missing.count() > 0)
            std::this_thread::sleep_for(missing);
    });
}

void CudaDevice::joinStreams()
{
    m_streams->join();
}

void CudaDevice::settle()
{
    CompletionWatch watch;
    watch.stopwatch = m_stopwatch.get();
    watch.last = {&m_streams->pointHere()};
    if (m_collectives->left() > 0)
        watch.last.push_back(&m_collectives->last());
    watch.requireHealthy = [this] { requireHealthy(); };
    watch.limit = m_limit;
    waitForCompletion(watch);
}

void CudaDevice::requireHealthy()
{
    for (NcclCommunicator *group : m_groups)
        group->requireHealthy();
}

const std::vector<DType> &CudaDevice::workingDtypes()
{
    if (!m_working)
        m_working = shardscope::workingDtypes(torch());
    return *m_working;
}

std::optional<std::string> CudaDevice::missingKernel(DType dtype)
{
    return shardscope::missingKernel(dtype, torch());
}

std::vector<Text> CudaDevice::remarks(const Experiment &experiment)
{
    std::vector<Text> remarks;
    remarks.push_back({TextId::TimedByEvents, {formatTime(double(m_noiseFloorNs))}});
    if (experiment.dtype == DType::F32)
        remarks.push_back({TextId::Tf32Off, {}});
    return remarks;
}

std::vector<Text> CudaDevice::closingRemarks(std::int64_t orderedNs, std::int64_t stepNs)
{
    std::vector<Text> remarks;
    remarks.push_back({TextId::LaunchTimeBeside, {formatTime(double(orderedNs)), formatTime(double(stepNs))}});
    const bool communicates =
        std::any_of(m_groups.begin(), m_groups.end(), [](const NcclCommunicator *group) { return group->size() > 1; });
    if (communicates && m_ncclChoices.read().empty())
        remarks.push_back({TextId::NcclChoiceUnknown, {}});
    return remarks;
}

std::vector<LibraryChoice> CudaDevice::libraryChoices()
{
    return libraryChoicesOf(m_ncclChoices.read());
}

void CudaDevice::releaseUnusedMemory()
{
    settle();
    c10::getDeviceAllocator(c10::DeviceType::CUDA)->emptyCache();
}

void letRanksShareGpu(int rank)
{
    const std::string host = "shardscope-rank-" + std::to_string(rank);
    const std::array<std::pair<const char *, const char *>, 9> settings{{{"NCCL_HOSTID", host.c_str()},
                                                                         {"NCCL_NET", "Socket"},
                                                                         {"NCCL_SOCKET_IFNAME", "=lo"},
                                                                         {"NCCL_MNNVL_ENABLE", "0"},
                                                                         {"NCCL_NVLS_ENABLE", "0"},
                                                                         {"NCCL_MAX_CTAS", "4"},
                                                                         {"NCCL_ALGO", "Ring"},
                                                                         {"NCCL_PROTO", "Simple"},
                                                                         {"NCCL_RAS_ENABLE", "0"}}};
    for (const auto &[name, value] : settings)
        ::setenv(name, value, /*overwrite=*/0);
}

} // namespace shardscope
