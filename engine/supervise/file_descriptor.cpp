// SPDX-License-Identifier: MIT
#include "engine/supervise/file_descriptor.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>

namespace shardscope {

void FileDescriptor::reset(int fd)
{
    if (m_fd >= 0 && m_fd != fd)
        ::close(m_fd);
    m_fd = fd;
}

std::optional<Pipe> makePipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return std::nullopt;
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

bool hasInput(int fd)
{
    pollfd entry{fd, POLLIN, 0};
    return ::poll(&entry, 1, 0) > 0;
}

ReadResult readSome(int fd, std::string &buffer)
{
    std::array<char, 65536> piece{};
    const ssize_t count = ::read(fd, piece.data(), piece.size());
    if (count > 0) {
        buffer.append(piece.data(), static_cast<std::size_t>(count));
        return ReadResult::Data;
    }
    const bool later = count < 0 && (errno == EAGAIN || errno == EINTR);
    return later ? ReadResult::Nothing : ReadResult::End;
}

bool writeAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t count = ::write(fd, bytes.data(), bytes.size());
        if (count > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            pollfd writable{fd, POLLOUT, 0};
            ::poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

} // namespace shardscope
