// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/prediction_cache.h"

#include "app/run_store.h"

namespace shardscope {

namespace {

constexpr std::size_t kMostRuns = 256;

std::string machineOf(const Predictor &predictor)
{
    return predictor.chosen() + (predictor.thisMachine() ? toJson(*predictor.thisMachine()) : std::string());
}

} // namespace

bool PredictionCache::isOf(const Predictor &predictor) const
{
    return machineOf(m_predictor) == machineOf(predictor);
}

RunPtr PredictionCache::predict(const Experiment &experiment)
{
    if (m_closed)
        return nullptr;
    std::string key = runKey(experiment);
    {
        const std::scoped_lock lock(m_mutex);
        if (const auto found = m_runs.find(key); found != m_runs.end())
            return found->second;
    }
    RunPtr run = m_predictor.predict(experiment);
    const std::scoped_lock lock(m_mutex);
    if (m_runs.size() >= kMostRuns)
        m_runs.clear();
    m_runs.emplace(std::move(key), run);
    return run;
}

} // namespace shardscope
