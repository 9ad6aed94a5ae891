// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/transfer_lane.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace shardscope {

/// Of a CPU: transfers on a thread of their own, which starts with the first one. After a failure none begins.
class TransferQueue final : public TransferLane
{
public:
    TransferQueue() = default;
    /// Waits for the transfer under way and drops the others.
    ~TransferQueue() override;

    std::size_t start(std::function<void()> transfer) override;
    [[nodiscard]] std::size_t ended() const override;
    /// Returns when they have ended.
    void waitFor(std::size_t transfers) override;
    /// On the calling thread.
    void run(const std::function<void()> &transfer) override { transfer(); }

private:
    void work();

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_queue;
    std::size_t m_started = 0;
    std::size_t m_ended = 0;
    std::exception_ptr m_failure;
    bool m_leaving = false;
    std::thread m_thread;
};

} // namespace shardscope
