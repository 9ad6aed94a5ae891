// SPDX-License-Identifier: MIT
#include "engine/cli/recording_file.h"

#include "engine/cli/arguments.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace shardscope::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr int kWriterLimitMs = 5000; ///< for somebody to open a pipe's other end
constexpr int kTickMs = 50;

class Recording
{
public:
    explicit Recording(const std::string &path)
        : m_path(path), m_fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))
    {
        if (m_fd < 0)
            throw unreadable(std::strerror(errno)); // NOLINT: one thread
    }
    ~Recording() { close(m_fd); }
    Recording(const Recording &) = delete;
    Recording &operator=(const Recording &) = delete;

    std::string bytes()
    {
        struct stat status {
        };
        fstat(m_fd, &status);
        if (S_ISDIR(status.st_mode))
            throw unreadable("it is a directory");
        if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
            throw unreadable("it is neither a file nor a pipe");
        m_isPipe = S_ISFIFO(status.st_mode);
        while (readPiece()) {
        }
        if (m_bytes.empty())
            throw unreadable(m_isPipe ? "nobody writes to this pipe" : "it is empty");
        return std::move(m_bytes);
    }

private:
    [[nodiscard]] Failure unreadable(const std::string &cause) const
    {
        return badArgument(m_path + ": cannot be read: " + cause + "; a saved run (.shardscope) is needed");
    }

    /// False at the end.
    bool readPiece()
    {
        std::array<char, 1 << 16> piece{};
        const ssize_t count = read(m_fd, piece.data(), piece.size());
        if (count > 0) {
            take({piece.data(), static_cast<std::size_t>(count)});
            return true;
        }
        if (count == 0)
            return m_isPipe && m_bytes.empty() && !m_hasWriter && awaitWriter();
        if (errno == EAGAIN) {
            m_hasWriter = true;
            pollfd entry{m_fd, POLLIN, 0};
            poll(&entry, 1, -1);
        } else if (errno != EINTR) {
            throw unreadable(std::strerror(errno)); // NOLINT: one thread
        }
        return true;
    }

    void take(std::string_view piece)
    {
        // Without this an endless pipe of zeros would be one line that fills the memory.
        if (piece.find('\0') != std::string_view::npos)
            throw unreadable("it holds binary data");
        if (m_bytes.size() + piece.size() > kMostBytes)
            throw unreadable("it is larger than " + std::to_string(kMostBytes >> 20) + " MiB");
        m_bytes.append(piece);
    }

    /// A pipe with a name may be opened by its reader first.
    bool awaitWriter()
    {
        m_waitedMs += kTickMs;
        poll(nullptr, 0, kTickMs);
        return m_waitedMs < kWriterLimitMs;
    }

    std::string m_path;
    int m_fd;
    bool m_isPipe = false;
    bool m_hasWriter = false;
    int m_waitedMs = 0;
    std::string m_bytes;
};

} // namespace

std::string readRecording(const std::string &path)
{
    return Recording(path).bytes();
}

} // namespace shardscope::cli
