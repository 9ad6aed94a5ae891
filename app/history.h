// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <cstddef>
#include <vector>

namespace shardscope {

/// Undo and redo of the experiment. Changes of one gesture (a slider drag) merge into one step.
class History
{
public:
    explicit History(Experiment first) : m_states{first} {}

    [[nodiscard]] const Experiment &current() const { return m_states[m_index]; }
    [[nodiscard]] bool canUndo() const { return m_index > 0; }
    [[nodiscard]] bool canRedo() const { return m_index + 1 < m_states.size(); }

    /// `gesture` 0 never merges; a change to the same value is no step.
    void push(const Experiment &experiment, int gesture);
    /// Only when canUndo().
    void undo();
    /// Only when canRedo().
    void redo();

private:
    std::vector<Experiment> m_states;
    std::size_t m_index = 0;
    int m_gesture = 0; ///< that made the current state
};

} // namespace shardscope
