// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cuda/cuda_streams.h"
#include "engine/runtime/transfer_lane.h"

#include <memory>

namespace shardscope {

/// Collectives on a stream of their own: each begins when the computation has done what it was told before, and beside
/// what it is told afterwards, until it waits for the result.
class CollectiveLane final : public TransferLane
{
public:
    /// `beforeEach` runs on the calling thread when a transfer is about to be ordered.
    CollectiveLane(CudaStream &stream, std::function<void()> beforeEach)
        : m_stream(stream), m_beforeEach(std::move(beforeEach))
    {
    }

    std::size_t start(std::function<void()> transfer) override;
    /// An order needs no care: the stream keeps it.
    [[nodiscard]] std::size_t ended() const override { return m_stream.left(); }
    void waitFor(std::size_t transfers) override { m_stream.holdBackCurrent(transfers); }
    void run(const std::function<void()> &transfer) override { waitFor(start(transfer)); }

private:
    CudaStream &m_stream;
    std::function<void()> m_beforeEach;
};

/// Sends are ordered on the streams of their routes, which are joined at the end of a step: nothing is left to wait
/// for.
class SendLane final : public TransferLane
{
public:
    std::size_t start(std::function<void()> transfer) override
    {
        transfer();
        return ++m_started;
    }
    [[nodiscard]] std::size_t ended() const override { return m_started; }
    void waitFor(std::size_t) override {}
    void run(const std::function<void()> &transfer) override { transfer(); }

private:
    std::size_t m_started = 0;
};

} // namespace shardscope
