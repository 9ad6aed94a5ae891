// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cuda/cuda_api.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace at {
class Tensor;
}

namespace shardscope {

class CudaStreams;

/// A stream beside the computation's. Its order against others is by events: it follows what is current, and what is
/// current is held back until it has passed a point.
class CudaStream
{
public:
    ~CudaStream();
    CudaStream(const CudaStream &) = delete;
    CudaStream &operator=(const CudaStream &) = delete;

    [[nodiscard]] cudaStream_t get() const;
    /// What is ordered on it from now on begins when the current stream has done all that it was told so far.
    void follow();
    /// Runs `orders` with this as the current stream, for LibTorch too.
    void with(const std::function<void()> &orders);
    /// Notes the point reached by now; returns how manieth it is, counted from 1.
    [[nodiscard]] std::size_t leave();
    /// The current stream goes on when this one has passed the point.
    void holdBackCurrent(std::size_t point);
    [[nodiscard]] std::size_t left() const { return m_left; }
    /// Of the last point; it counts as passed when there is none.
    [[nodiscard]] const CudaEvent &last() const;

private:
    friend class CudaStreams;
    struct Torch;
    CudaStream(CudaStreams &streams, std::unique_ptr<Torch> torch);

    CudaStreams &m_streams;
    std::unique_ptr<Torch> m_torch;
    CudaEvent m_ready;
    std::vector<CudaEvent> m_points; ///< a ring; a point that was overwritten waits for a later one, which is right too
    std::size_t m_left = 0;
};

/// The streams of one GPU. LibTorch's current stream is the computation's; the others come from its pool, so that its
/// allocator knows them.
class CudaStreams
{
public:
    CudaStreams(const CudaApi &api, int device);

    [[nodiscard]] const CudaApi &api() const { return m_api; }
    [[nodiscard]] cudaStream_t current() const;
    [[nodiscard]] std::unique_ptr<CudaStream> open();
    /// The tensor's memory is not given to others before `stream` is through with what it has been told.
    void keepAlive(const at::Tensor &tensor, const CudaStream &stream) const;
    /// The current stream goes on when all others have done what they were told.
    void join();
    /// A point on the current stream, for whoever waits for all of it.
    [[nodiscard]] const CudaEvent &pointHere();

private:
    friend class CudaStream;

    const CudaApi &m_api;
    int m_device;
    CudaEvent m_here;
    std::vector<CudaStream *> m_open;
};

} // namespace shardscope
