// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/predictor.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace shardscope {

/// Predictions that pages have asked for, kept: they ask again whenever a point is measured, and predicting then would
/// take cores from the ranks. May be asked from any thread.
class PredictionCache
{
public:
    explicit PredictionCache(const Predictor &predictor) : m_predictor(predictor) {}

    /// Whether it predicts what this predictor would.
    [[nodiscard]] bool isOf(const Predictor &predictor) const;
    /// Null when the experiment is not valid, or nobody will look any more.
    [[nodiscard]] RunPtr predict(const Experiment &experiment);
    /// The program ends: who is still asking gets nothing, and soon.
    void close() { m_closed = true; }

private:
    Predictor m_predictor;
    std::atomic<bool> m_closed = false;
    std::mutex m_mutex;
    std::map<std::string, RunPtr> m_runs;
};

} // namespace shardscope
