// SPDX-License-Identifier: MIT
#pragma once

#include "engine/supervise/file_descriptor.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace shardscope {

/// Writes a stream without ever waiting for its reader: what does not go out at once is kept until poll() says that the
/// descriptor is writable. So a reader that is slow, or stopped, neither blocks the supervisor nor disturbs a rank.
class OutputQueue
{
public:
    /// Beyond this many bytes the supervisor stops reading from ranks, which then wait between two iterations.
    static constexpr std::size_t kHighWater = std::size_t{64} << 20;

    /// `fd` stays the caller's.
    explicit OutputQueue(int fd);

    void append(std::string_view bytes) { m_pending += bytes; }
    /// Writes what goes without waiting; call it when poll() says writable.
    void flush();
    /// Waits up to `timeoutMs` for the reader to take everything.
    void drain(int timeoutMs);

    [[nodiscard]] int fd() const { return m_private.isOpen() ? m_private.get() : m_fd; }
    [[nodiscard]] bool empty() const { return pending() == 0; }
    [[nodiscard]] bool full() const { return pending() > kHighWater; }
    /// The reader is gone.
    [[nodiscard]] bool broken() const { return m_broken; }

private:
    [[nodiscard]] std::size_t pending() const { return m_pending.size() - m_written; }

    int m_fd;
    FileDescriptor m_private; ///< the same pipe opened again, so that O_NONBLOCK is ours alone
    std::string m_pending;
    std::size_t m_written = 0;
    bool m_broken = false;
};

} // namespace shardscope
