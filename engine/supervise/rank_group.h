// SPDX-License-Identifier: MIT
#pragma once

#include "engine/supervise/rank_process.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// The ranks of one world size. They live on between commands; when one of them fails, or another world size is asked
/// for, all are ended and forked again, which costs less than repairing (4 ranks are ready in 75 ms).
class RankGroup
{
public:
    /// Forks all ranks; `error()` says why when one could not be started, the others are ended then.
    RankGroup(int worldSize, const RankMain &rankMain, const std::vector<int> &closeInChild);
    ~RankGroup();
    RankGroup(const RankGroup &) = delete;
    RankGroup &operator=(const RankGroup &) = delete;

    /// errno of what failed, 0 when all ranks were started.
    [[nodiscard]] int error() const { return m_error; }
    [[nodiscard]] int worldSize() const { return m_worldSize; }
    [[nodiscard]] std::vector<RankProcess> &ranks() { return m_ranks; }
    /// The rank with that process number, -1 when it is none of ours.
    [[nodiscard]] int rankOf(pid_t pid) const;

    void send(std::string_view line);
    /// Kills and collects every rank that still runs: returns when none is left.
    void end();

private:
    int m_worldSize;
    FileDescriptor m_rendezvous;
    std::vector<RankProcess> m_ranks;
    int m_error = 0;
};

} // namespace shardscope
