// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace shardscope {

/// Transfers beside the computation, on a thread of their own, one after the other in the order in which they were
/// handed over: every rank hands them over in the same order, so they meet. The thread starts with the first one.
class TransferQueue
{
public:
    TransferQueue() = default;
    /// Waits for the transfer under way and drops the others.
    ~TransferQueue();
    TransferQueue(const TransferQueue &) = delete;
    TransferQueue &operator=(const TransferQueue &) = delete;

    /// Returns how manieth transfer this is, counted from 1: for waitFor().
    std::size_t start(std::function<void()> transfer);
    /// How many transfers have ended.
    [[nodiscard]] std::size_t ended() const;
    /// Returns when that many transfers have ended; rethrows what one of them threw. After a failure none begins.
    void waitFor(std::size_t transfers);

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
