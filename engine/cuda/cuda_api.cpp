// SPDX-License-Identifier: MIT
#include "engine/cuda/cuda_api.h"

#include <utility>

namespace shardscope {

const CudaApi &cudaApi()
{
    static const CudaApi api = [] {
        CudaApi real;
        real.setDevice = cudaSetDevice;
        real.eventCreateWithFlags = cudaEventCreateWithFlags;
        real.eventDestroy = cudaEventDestroy;
        real.eventRecord = cudaEventRecord;
        real.eventQuery = cudaEventQuery;
        real.eventElapsedTime = cudaEventElapsedTime;
        real.streamWaitEvent = cudaStreamWaitEvent;
        real.launchHostFunc = cudaLaunchHostFunc;
        real.runtimeGetVersion = cudaRuntimeGetVersion;
        real.getErrorString = cudaGetErrorString;
        return real;
    }();
    return api;
}

void requireCuda(const CudaApi &api, cudaError_t result, const char *call)
{
    if (result != cudaSuccess)
        throw CudaError(std::string(call) + ": " + api.getErrorString(result));
}

CudaEvent::CudaEvent(const CudaApi &api, Timing timing) : m_api(&api)
{
    const unsigned flags = timing == Timing::On ? cudaEventDefault : cudaEventDisableTiming;
    requireCuda(api, api.eventCreateWithFlags(&m_event, flags), "cudaEventCreateWithFlags");
}

CudaEvent::CudaEvent(CudaEvent &&other) noexcept : m_api(other.m_api), m_event(std::exchange(other.m_event, nullptr)) {}

CudaEvent &CudaEvent::operator=(CudaEvent &&other) noexcept
{
    std::swap(m_api, other.m_api);
    std::swap(m_event, other.m_event);
    return *this;
}

CudaEvent::~CudaEvent()
{
    if (m_event)
        m_api->eventDestroy(m_event);
}

void CudaEvent::record(cudaStream_t stream)
{
    requireCuda(*m_api, m_api->eventRecord(m_event, stream), "cudaEventRecord");
}

bool CudaEvent::passed() const
{
    const cudaError_t result = m_api->eventQuery(m_event);
    if (result == cudaErrorNotReady)
        return false;
    requireCuda(*m_api, result, "cudaEventQuery");
    return true;
}

void CudaEvent::holdBack(cudaStream_t stream) const
{
    requireCuda(*m_api, m_api->streamWaitEvent(stream, m_event, 0), "cudaStreamWaitEvent");
}

} // namespace shardscope
