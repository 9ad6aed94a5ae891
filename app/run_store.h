// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/results.h"

#include <deque>
#include <string>
#include <utility>

namespace shardscope {

/// The runs of this session by what they ran, so that going back to a setting (undo, another phase) shows its numbers
/// at once. How often a step was repeated does not tell runs apart.
class RunStore
{
public:
    void put(const Experiment &experiment, RunPtr run);
    /// Null when the experiment has not been run.
    [[nodiscard]] RunPtr find(const Experiment &experiment) const;
    void clear() { m_runs.clear(); }

private:
    std::deque<std::pair<std::string, RunPtr>> m_runs; ///< oldest first
};

} // namespace shardscope
