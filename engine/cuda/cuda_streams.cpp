// SPDX-License-Identifier: MIT
#include "engine/cuda/cuda_streams.h"

#include "engine/runtime/torch_headers.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

namespace shardscope {

namespace {

/// Collectives under way at the same time are few.
constexpr std::size_t kPoints = 64;

c10::impl::VirtualGuardImpl guard()
{
    return c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA);
}

c10::Device deviceOf(int ordinal)
{
    return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(ordinal)};
}

} // namespace

struct CudaStream::Torch {
    c10::Stream stream;
};

CudaStream::CudaStream(CudaStreams &streams, std::unique_ptr<Torch> torch)
    : m_streams(streams), m_torch(std::move(torch)), m_ready(streams.m_api, CudaEvent::Timing::Off)
{
    for (std::size_t i = 0; i < kPoints; ++i)
        m_points.emplace_back(streams.m_api, CudaEvent::Timing::Off);
    m_streams.m_open.push_back(this);
}

CudaStream::~CudaStream()
{
    std::erase(m_streams.m_open, this);
}

cudaStream_t CudaStream::get() const
{
    return static_cast<cudaStream_t>(m_torch->stream.native_handle());
}

void CudaStream::follow()
{
    m_ready.record(m_streams.current());
    m_ready.holdBack(get());
}

void CudaStream::with(const std::function<void()> &orders)
{
    const c10::StreamGuard current(m_torch->stream);
    orders();
}

std::size_t CudaStream::leave()
{
    m_points[m_left % kPoints].record(get());
    return ++m_left;
}

void CudaStream::holdBackCurrent(std::size_t point)
{
    m_points[(point - 1) % kPoints].holdBack(m_streams.current());
}

const CudaEvent &CudaStream::last() const
{
    return m_points[(m_left + kPoints - 1) % kPoints];
}

CudaStreams::CudaStreams(const CudaApi &api, int device)
    : m_api(api), m_device(device), m_here(api, CudaEvent::Timing::Off)
{
}

cudaStream_t CudaStreams::current() const
{
    return static_cast<cudaStream_t>(guard().getStream(deviceOf(m_device)).native_handle());
}

std::unique_ptr<CudaStream> CudaStreams::open()
{
    auto torch = std::make_unique<CudaStream::Torch>(
        CudaStream::Torch{guard().getStreamFromGlobalPool(deviceOf(m_device), /*isHighPriority=*/true)});
    return std::unique_ptr<CudaStream>(new CudaStream(*this, std::move(torch)));
}

void CudaStreams::keepAlive(const at::Tensor &tensor, const CudaStream &stream) const
{
    tensor.record_stream(stream.m_torch->stream);
}

void CudaStreams::join()
{
    for (CudaStream *stream : m_open)
        if (stream->left() > 0)
            stream->holdBackCurrent(stream->left());
}

const CudaEvent &CudaStreams::pointHere()
{
    m_here.record(current());
    return m_here;
}

} // namespace shardscope
