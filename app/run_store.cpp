// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_store.h"

#include "app/points.h"
#include "engine/plan/experiment_options.h"

#include <algorithm>

namespace shardscope {

std::string runKey(const Experiment &experiment)
{
    std::string key;
    for (const auto &[option, value] : allOptions(experiment)) {
        if (option != "steps" && option != "warmup")
            key += option + "=" + value + ";";
    }
    return key;
}

void RunStore::put(const Experiment &experiment, RunPtr run)
{
    std::string key = runKey(experiment);
    std::erase_if(m_runs, [&](const auto &entry) { return entry.first == key; });
    m_runs.emplace_back(std::move(key), std::move(run));
    if (m_runs.size() > m_most)
        m_runs.pop_front();
}

RunPtr RunStore::find(const Experiment &experiment) const
{
    const std::string key = runKey(experiment);
    const auto found =
        std::find_if(m_runs.begin(), m_runs.end(), [&](const auto &entry) { return entry.first == key; });
    return found == m_runs.end() ? nullptr : found->second;
}

Results RunStore::resultsFor(const Experiment &experiment) const
{
    Results results;
    if (m_runs.empty())
        return results;
    for (const Phase phase : kPhases) {
        const auto point = inPhase(experiment, phase);
        if (RunPtr run = point ? find(*point) : nullptr)
            results.measured[phase] = std::move(run);
    }
    if (const auto one = onOneRank(experiment); one && experiment.ranks() > 1)
        results.measuredOne = find(*one);
    return results;
}

} // namespace shardscope
