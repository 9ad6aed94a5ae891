// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/results.h"

#include <deque>
#include <string>
#include <utility>

namespace shardscope {

/// What an experiment runs, as one string; how often its step is repeated does not tell runs apart.
[[nodiscard]] std::string runKey(const Experiment &experiment);

/// Runs by what they ran, so that going back to a setting (undo, another phase) shows its numbers at once.
class RunStore
{
public:
    /// Beyond `most` the oldest go. As many as there are: several pages of points, each measured once.
    explicit RunStore(std::size_t most = 256) : m_most(most) {}

    void put(const Experiment &experiment, RunPtr run);
    /// Null when the experiment has not been run.
    [[nodiscard]] RunPtr find(const Experiment &experiment) const;
    void clear() { m_runs.clear(); }
    /// What is known of the experiment's three phases and of its layer on one rank: `measured` and `measuredOne`.
    [[nodiscard]] Results resultsFor(const Experiment &experiment) const;

private:
    std::size_t m_most;
    std::deque<std::pair<std::string, RunPtr>> m_runs; ///< oldest first
};

} // namespace shardscope
