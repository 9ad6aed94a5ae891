// SPDX-License-Identifier: MIT
#include "engine/supervise/output_queue.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace shardscope {
namespace {

// O_NONBLOCK belongs to the open file description, which others may share (a terminal, 2>&1): a pipe is opened again.
FileDescriptor reopenPipe(int fd)
{
    struct stat status {
    };
    if (::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode))
        return FileDescriptor();
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    return FileDescriptor(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
}

bool isWritable(int fd, int timeoutMs)
{
    pollfd entry{fd, POLLOUT, 0};
    return ::poll(&entry, 1, timeoutMs) > 0;
}

} // namespace

OutputQueue::OutputQueue(int fd) : m_fd(fd), m_private(reopenPipe(fd)) {}

void OutputQueue::flush()
{
    // At most PIPE_BUF at a time: a descriptor that poll() calls writable takes that much without blocking.
    while (!empty() && !m_broken && isWritable(fd(), 0)) {
        const std::size_t limit = m_private.isOpen() ? pending() : std::min<std::size_t>(pending(), PIPE_BUF);
        const ssize_t count = ::write(fd(), m_pending.data() + m_written, limit);
        if (count > 0)
            m_written += static_cast<std::size_t>(count);
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            m_broken = true;
    }
    if (empty() || m_broken) {
        m_pending.clear();
        m_written = 0;
    } else if (m_written > kHighWater / 4) {
        m_pending.erase(0, m_written);
        m_written = 0;
    }
}

void OutputQueue::drain(int timeoutMs)
{
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::milliseconds(timeoutMs);
    flush();
    while (!empty() && !m_broken && Clock::now() < deadline) {
        isWritable(fd(), 50);
        flush();
    }
}

} // namespace shardscope
