// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/history.h"

namespace shardscope {

namespace {
constexpr std::size_t kMostStates = 500;
}

void History::push(const Experiment &experiment, int gesture)
{
    if (experiment == current())
        return;
    m_states.resize(m_index + 1);
    const bool merges = gesture != 0 && gesture == m_gesture && m_index > 0;
    m_gesture = gesture;
    if (merges) {
        m_states.back() = experiment;
        return;
    }
    m_states.push_back(experiment);
    if (m_states.size() > kMostStates)
        m_states.erase(m_states.begin());
    m_index = m_states.size() - 1;
}

void History::undo()
{
    --m_index;
    m_gesture = 0;
}

void History::redo()
{
    ++m_index;
    m_gesture = 0;
}

} // namespace shardscope
