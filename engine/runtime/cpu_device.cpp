// SPDX-License-Identifier: MIT
#include "engine/runtime/cpu_device.h"

#include "engine/runtime/kernels.h"
#include "engine/runtime/libraries.h"
#include "engine/runtime/products.h"
#include "engine/runtime/transfer_queue.h"

#include <thread>

namespace shardscope {

std::string CpuDevice::title(int threads) const
{
    return counted(threads, "CPU thread|CPU threads");
}

c10::Device CpuDevice::torch() const
{
    return at::kCPU;
}

std::unique_ptr<Communicator> CpuDevice::join(const GroupJoin &group)
{
    return std::make_unique<GlooCommunicator>(m_place, group.name, group.rank, int(group.worldRanks.size()),
                                              group.timeout, m_stopwatch);
}

std::unique_ptr<TransferLane> CpuDevice::collectiveLane()
{
    return std::make_unique<TransferQueue>();
}

std::unique_ptr<TransferLane> CpuDevice::sendLane()
{
    return std::make_unique<TransferQueue>();
}

NotedTime CpuDevice::noteTime()
{
    return std::make_shared<std::atomic<std::int64_t>>(Stopwatch::rawNs());
}

void CpuDevice::holdUntil(const NotedTime &began, std::chrono::nanoseconds duration)
{
    const std::chrono::nanoseconds missing = std::chrono::nanoseconds(began->load() - Stopwatch::rawNs()) + duration;
    if (missing.count() > 0)
        std::this_thread::sleep_for(missing);
}

const std::vector<DType> &CpuDevice::workingDtypes()
{
    static const std::vector<DType> working = shardscope::workingDtypes(torch());
    return working;
}

std::optional<std::string> CpuDevice::missingKernel(DType dtype)
{
    return shardscope::missingKernel(dtype, torch());
}

std::vector<Text> CpuDevice::remarks(const Experiment &experiment)
{
    if (!multipliesThroughF32(experiment.dtype))
        return {};
    return {{TextId::ProductsThroughF32, {std::string(name(experiment.dtype))}}};
}

void CpuDevice::releaseUnusedMemory()
{
    shardscope::releaseUnusedMemory();
}

} // namespace shardscope
