// SPDX-License-Identifier: MIT
#pragma once

#include "engine/supervise/launch.h"
#include "engine/supervise/rank_process.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// The ranks of one world size, or the one of them that this process was started as. They live on between commands;
/// when one of them fails, or another world size is asked for, all are ended and forked again, which costs less than
/// repairing (4 ranks are ready in 75 ms).
class RankGroup
{
public:
    /// Forks all ranks, or that of `launch`; `error()` says why when one could not be started, the others are ended
    /// then.
    RankGroup(int worldSize, const std::optional<Launch> &launch, const RankMain &rankMain,
              const std::vector<int> &closeInChild);
    ~RankGroup();
    RankGroup(const RankGroup &) = delete;
    RankGroup &operator=(const RankGroup &) = delete;

    /// errno of what failed, 0 when all ranks were started.
    [[nodiscard]] int error() const { return m_error; }
    [[nodiscard]] int worldSize() const { return m_worldSize; }
    [[nodiscard]] std::vector<RankProcess> &ranks() { return m_ranks; }
    /// The one that runs under that process number; null when it is none of ours.
    [[nodiscard]] RankProcess *withPid(pid_t pid);

    void send(std::string_view line);
    /// Kills and collects every rank that still runs: returns when none is left.
    void end();

private:
    void start(ForkSetup &setup, const RankMain &rankMain);

    int m_worldSize;
    FileDescriptor m_rendezvous;
    std::vector<RankProcess> m_ranks;
    int m_error = 0;
};

} // namespace shardscope
