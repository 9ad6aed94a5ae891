// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"

#include <map>
#include <memory>

namespace shardscope {

struct Hardware;

using RunPtr = std::shared_ptr<const Run>;
using RunsByPhase = std::map<Phase, RunPtr>;

/// Everything that the views show beside the plan: per phase the prediction and, where it exists, what was measured or
/// opened from a file.
struct Results {
    RunsByPhase predicted;
    RunsByPhase measured;
    RunPtr predictedOne;                     ///< N = 1, the phase shown
    std::shared_ptr<const Hardware> machine; ///< what they are for; null before anything is predicted
    RunPtr measuredOne;
    bool stale = false; ///< `measured` belongs to other settings
    /// The prediction for these settings is being made; until it is there, `predicted` is empty and never that of other
    /// settings.
    bool pending = false;

    /// N = 1 beside N: the measurement, unless it belongs to other settings; else the prediction; null before either.
    [[nodiscard]] RunPtr shownOne() const { return measuredOne && !stale ? measuredOne : predictedOne; }

    /// What the timeline shows of a phase: the measurement, else the prediction; null before anything is known.
    [[nodiscard]] RunPtr shown(Phase phase) const
    {
        const auto measuredRun = measured.find(phase);
        if (measuredRun != measured.end())
            return measuredRun->second;
        const auto predictedRun = predicted.find(phase);
        return predictedRun == predicted.end() ? nullptr : predictedRun->second;
    }
};

} // namespace shardscope
