// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace shardscope {

/// Transfers beside the computation, one after the other in the order in which they were handed over: every rank hands
/// them over in the same order, so they meet.
class TransferLane
{
public:
    TransferLane() = default;
    virtual ~TransferLane() = default;
    TransferLane(const TransferLane &) = delete;
    TransferLane &operator=(const TransferLane &) = delete;

    /// Returns how manieth transfer this is, counted from 1: for waitFor().
    virtual std::size_t start(std::function<void()> transfer) = 0;
    /// How many transfers have ended, or need no more care.
    [[nodiscard]] virtual std::size_t ended() const = 0;
    /// The computation goes on when that many transfers have ended; rethrows what one of them threw.
    virtual void waitFor(std::size_t transfers) = 0;
    /// A transfer for which the computation waits.
    virtual void run(const std::function<void()> &transfer) = 0;
};

} // namespace shardscope
