// SPDX-License-Identifier: MIT
#include "engine/cli/output.h"

#include "engine/cli/arguments.h"
#include "engine/cli/interruption.h"

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
mode_t usualMode()
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/// Where a link leads: the file behind it is replaced, not the link.
std::string followed(const std::string &path)
{
    char *real = realpath(path.c_str(), nullptr);
    std::string target = real != nullptr ? real : path;
    std::free(real); // NOLINT: realpath allocates
    return target;
}

/// Waits until somebody reads a pipe, and says so: it may be for ever.
int openForWriting(const std::string &target, const std::string &path)
{
    const int fd = open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        fcntl(fd, F_SETFL, O_WRONLY);
        return fd;
    }
    if (errno != ENXIO)
        return -1;
    complain("--output " + path + ": waiting for somebody to read this pipe; Ctrl-C cancels");
    const InterruptsAllowed allowed;
    return open(target.c_str(), O_WRONLY | O_CLOEXEC);
}

} // namespace

void reserveStandardStreams()
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY); // takes the lowest free number: this one
    }
}

void requireStdout()
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        throw badArgument("stdout: closed, so nothing can be written to it; allowed: a terminal, a file or a pipe");
}

Output::Output(std::string path) : m_path(std::move(path))
{
    if (m_path.empty()) {
        requireStdout();
        m_fd = STDOUT_FILENO;
        return;
    }
    struct stat status {
    };
    const bool exists = stat(m_path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        throw badArgument("--output " + m_path + ": is a directory; a file name is needed");
    m_target = exists ? followed(m_path) : m_path;
    if (exists && !S_ISREG(status.st_mode)) {
        m_fd = openForWriting(m_target, m_path);
    } else if (!exists || access(m_target.c_str(), W_OK) == 0) { // renaming would replace a read-only file too
        m_temporary = m_target + ".unfinished-XXXXXX"; // says what it is, should somebody kill -9 this program
        m_fd = mkostemp(m_temporary.data(), O_CLOEXEC);
        discardWhenInterrupted(m_temporary);
    }
    if (m_fd < 0) {
        m_temporary.clear();
        throw badArgument("--output " + m_path + ": cannot be written" + because());
    }
    if (!m_temporary.empty())
        fchmod(m_fd, exists ? status.st_mode & 07777 : usualMode());
}

Output::~Output()
{
    if (isFile() && m_fd >= 0)
        close(m_fd);
    if (!m_temporary.empty())
        unlink(m_temporary.c_str());
    discardWhenInterrupted({});
}

Console Output::console() const
{
    return isFile() ? plainConsole() : consoleOf(STDOUT_FILENO);
}

void Output::write(std::string_view bytes)
{
    const InterruptsAllowed allowed; // a pipe's reader may never come back
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
    bool whole = m_temporary.empty() || fsync(m_fd) == 0;
    whole = close(std::exchange(m_fd, -1)) == 0 && whole;
    // Only what is whole takes the name; the destructor removes the rest.
    if (whole && !m_temporary.empty())
        whole = rename(m_temporary.c_str(), m_target.c_str()) == 0;
    if (!whole)
        throw Failure{kFailed, "--output " + m_path + ": the result could not be written" + because()};
    m_temporary.clear();
}

} // namespace shardscope::cli
