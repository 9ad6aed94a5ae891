// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace shardscope {

/// An open file descriptor, closed with its owner.
class FileDescriptor
{
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : m_fd(fd) {}
    FileDescriptor(FileDescriptor &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    FileDescriptor &operator=(FileDescriptor &&other) noexcept
    {
        reset(std::exchange(other.m_fd, -1));
        return *this;
    }
    ~FileDescriptor() { reset(); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }
    void reset(int fd = -1);

private:
    int m_fd = -1;
};

/// Both ends of a pipe, closed on exec.
struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};
[[nodiscard]] std::optional<Pipe> makePipe();

/// What a read has brought.
enum class ReadResult { Data, Nothing, End };

/// Whether a read would return at once: with data, or with the end of the stream.
[[nodiscard]] bool hasInput(int fd);

/// Appends what can be read at once, up to 64 KiB; waits where hasInput() is false.
ReadResult readSome(int fd, std::string &buffer);

/// Writes all of it, waiting where it must; false when the reader is gone.
bool writeAll(int fd, std::string_view bytes);

} // namespace shardscope
