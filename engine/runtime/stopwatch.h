// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace shardscope {

/// Reads CLOCK_MONOTONIC, which all ranks of one host share, as nanoseconds since a run's origin.
class Stopwatch
{
public:
    /// Nanoseconds of the raw clock: rank 0's value is the origin of all.
    [[nodiscard]] static std::int64_t rawNs();

    void setOrigin(std::int64_t rawNs) { m_originNs = rawNs; }
    /// Nanoseconds since the origin; 0 while switched off.
    [[nodiscard]] std::int64_t now() const { return m_running ? rawNs() - m_originNs : 0; }

    /// Hook of the benchmark that holds a step with timing against one without.
    void setRunning(bool running) { m_running = running; }
    [[nodiscard]] bool running() const { return m_running; }

private:
    std::int64_t m_originNs = 0;
    bool m_running = true;
};

} // namespace shardscope
