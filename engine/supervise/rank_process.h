// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/rank_main.h"
#include "engine/supervise/file_descriptor.h"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace shardscope {

/// What a child inherits and must not keep: descriptors of the supervisor and of other ranks.
struct ForkSetup {
    RankContext context; ///< without its descriptors
    std::vector<int> closeInChild;
};

/// One forked rank as its supervisor sees it.
class RankProcess
{
public:
    /// Forks; the child runs `rankMain` and never returns. `pid()` is negative when it failed (errno tells why).
    /// Only from the main thread: PR_SET_PDEATHSIG follows the thread that forked.
    RankProcess(const ForkSetup &setup, const RankMain &rankMain);

    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] pid_t pid() const { return m_pid; }
    [[nodiscard]] int eventFd() const { return m_events.get(); }
    [[nodiscard]] int commandFd() const { return m_commands.get(); }
    [[nodiscard]] bool isRunning() const { return m_pid > 0 && !m_ended; }

    void send(std::string_view line) { writeAll(m_commands.get(), line); }
    /// The next whole line of its events, '\n' included; reads only when told to.
    bool readEvents();
    [[nodiscard]] bool nextLine(std::string_view &line);
    void closeEvents() { m_events.reset(); }

    void kill() const;
    /// Called when waitpid() has returned it.
    void setEnded() { m_ended = true; }

private:
    FileDescriptor m_commands;
    FileDescriptor m_events;
    std::string m_buffer;
    std::size_t m_consumed = 0;
    int m_rank;
    pid_t m_pid = -1;
    bool m_ended = false;
};

} // namespace shardscope
