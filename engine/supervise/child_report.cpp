// SPDX-License-Identifier: MIT
#include "engine/supervise/child_report.h"

#include "engine/supervise/file_descriptor.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardscope {

std::string childReport(const std::function<void(int fd)> &body, std::chrono::milliseconds limit)
{
    auto pipe = makePipe();
    if (!pipe)
        return {};
    const pid_t child = ::fork();
    if (child == 0) {
        body(pipe->write.get());
        ::_exit(0);
    }
    pipe->write.reset();
    std::string report;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (child > 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd entry{pipe->read.get(), POLLIN, 0};
        const int ready = ::poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0 || readSome(pipe->read.get(), report) == ReadResult::End)
            break;
    }
    if (child > 0) {
        ::kill(child, SIGKILL);
        while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    return report;
}

} // namespace shardscope
