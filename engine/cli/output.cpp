// SPDX-License-Identifier: MIT
#include "engine/cli/output.h"

#include "engine/cli/arguments.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace shardscope::cli {
namespace {

std::string because()
{
    return std::string(": ") + std::strerror(errno); // NOLINT: one thread
}

/// mkstemp makes files that only the owner may read; a result should look like any other new file.
void giveUsualMode(int fd)
{
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
}

} // namespace

Output::Output(std::string path) : m_path(std::move(path))
{
    if (m_path.empty()) {
        m_fd = STDOUT_FILENO;
        return;
    }
    struct stat status {
    };
    const bool exists = stat(m_path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        throw badArgument("--output " + m_path + ": is a directory; a file name is needed");
    if (exists && !S_ISREG(status.st_mode)) {
        m_fd = open(m_path.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        m_temporary = m_path + ".XXXXXX";
        m_fd = mkostemp(m_temporary.data(), O_CLOEXEC);
    }
    if (m_fd < 0) {
        m_temporary.clear();
        throw badArgument("--output " + m_path + ": cannot be written" + because());
    }
    if (!m_temporary.empty())
        giveUsualMode(m_fd);
}

Output::~Output()
{
    if (isFile() && m_fd >= 0)
        close(m_fd);
    if (!m_temporary.empty())
        unlink(m_temporary.c_str());
}

Console Output::console() const
{
    return isFile() ? plainConsole() : consoleOf(STDOUT_FILENO);
}

void Output::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            const std::string target = isFile() ? "--output " + m_path : "stdout";
            throw Failure{kFailed, target + ": the result could not be written" + because()};
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void Output::commit()
{
    if (!isFile())
        return;
    const bool synced = m_temporary.empty() || fsync(m_fd) == 0;
    const bool closed = close(std::exchange(m_fd, -1)) == 0;
    const bool named = m_temporary.empty() || rename(m_temporary.c_str(), m_path.c_str()) == 0;
    if (!synced || !closed || !named)
        throw Failure{kFailed, "--output " + m_path + ": the result could not be written" + because()};
    m_temporary.clear();
}

} // namespace shardscope::cli
