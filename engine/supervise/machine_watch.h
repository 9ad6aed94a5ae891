// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"
#include "engine/supervise/cpu_facts.h"
#include "engine/supervise/file_descriptor.h"

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>

namespace shardscope {

/// What this machine is made of, and how busy it is while ranks compute. The management library of the GPUs is loaded
/// by a child, which lives as long as this: whoever forks ranks must not have loaded it, and it may hang.
class MachineWatch
{
public:
    using Clock = std::chrono::steady_clock;

    explicit MachineWatch(const std::vector<int> &closeInChild);
    ~MachineWatch();
    MachineWatch(const MachineWatch &) = delete;
    MachineWatch &operator=(const MachineWatch &) = delete;

    /// Where the child tells: to be polled; -1 when nothing more comes.
    [[nodiscard]] int toldFd() const { return m_told.get(); }
    /// Where it is asked; only to be closed in other children.
    [[nodiscard]] int askedFd() const { return m_asked.get(); }
    /// Whether the process that has ended, and was collected, is the child.
    bool takeEnd(pid_t child);
    /// Takes what has been told.
    void read();
    /// Known when the child has told the GPUs, or has gone because there are none.
    [[nodiscard]] const std::optional<Topology> &topology() const { return m_topology; }

    /// Ranks begin to compute; `ranksTicks` is the CPU time that they have used before.
    void begin(Clock::time_point now, std::int64_t ranksTicks);
    void rest();
    /// Whether a second has passed since the last load, while ranks compute.
    [[nodiscard]] bool isDue(Clock::time_point now) const { return m_since && now - *m_since >= kInterval; }
    /// How busy the machine has been since the last call; the ranks have used `ranksTicks` by now.
    [[nodiscard]] LoadEvent take(Clock::time_point now, std::int64_t ranksTicks);

private:
    static constexpr auto kInterval = std::chrono::seconds(1);

    void takeLine(const std::string &line);
    void settle();

    FileDescriptor m_told;
    FileDescriptor m_asked; ///< a byte lets the child sample, another one stops it, its end ends it
    pid_t m_child = -1;
    std::string m_text;   ///< told, without a line end yet
    std::string m_report; ///< of the GPUs, until it is whole
    std::optional<Topology> m_topology;
    std::vector<GpuLoad> m_gpus;
    std::optional<Clock::time_point> m_since; ///< when the last load was taken; nothing: no rank computes
    CpuTicks m_cpu;
    std::int64_t m_ranks = 0;
};

} // namespace shardscope
