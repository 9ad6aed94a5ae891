// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/statistics.h"
#include "ui/run_lookups.h"

#include <QString>
#include <vector>

namespace shardscope {

/// Step times of one number of ranks over the batch.
struct LowLoadCurve {
    int ranks = 1;
    struct Point {
        std::int64_t batch = 1;
        RunPtr run;
        Distribution step; ///< its times, in nanoseconds
    };
    std::vector<Point> points;
};

/// One rank beside several, all measured or all predicted: never both in one comparison.
struct LowLoadSide {
    std::vector<LowLoadCurve> curves; ///< one rank first; empty: nothing is known
    struct Crossing {
        int ranks = 2;
        std::optional<std::int64_t> from; ///< the smallest batch from which on N ranks are faster than one
        double stepNs = 0;                ///< there
        QString finding;
        QString cause; ///< where they are not: why; may be empty
    };
    std::vector<Crossing> crossings; ///< by ranks
    QString single;                  ///< what is known where one batch alone is, which crosses nothing; else empty
    QString source;                  ///< "Measured here on CPU ranks", "Predicted for ..."

    /// Of the most ranks.
    [[nodiscard]] const Crossing *widest() const { return crossings.empty() ? nullptr : &crossings.back(); }
};

struct LowLoadValues {
    Experiment asked;      ///< the workbench's
    Experiment experiment; ///< the layer drawn, its batch aside
    LowLoadSide measured;
    LowLoadSide predicted;
    std::int64_t affordable = 0; ///< the batch beyond which a step takes too long to be measured here; 0: all do
};

/// The layer with 1, 2, 4, ... ranks and the workbench's own number, and batches from 1 to 64. `few`: those that are
/// measured, as far as a step takes about a second.
[[nodiscard]] std::vector<Experiment> lowLoadPoints(const Experiment &experiment, Phase phase, bool few);
/// `measured` belongs to lowLoadPoints(..., true). May take long, in any thread.
[[nodiscard]] LowLoadValues lowLoadValues(const Experiment &experiment, Phase phase,
                                          const std::vector<RunPtr> &measured, const RunLookups &runs);

[[nodiscard]] QString lowLoadFinding(const LowLoadValues &values);
/// Which layer is drawn, and what of it is not as in the workbench.
[[nodiscard]] QString lowLoadSetting(const LowLoadValues &values);
/// Why large batches are not measured; empty where all are.
[[nodiscard]] QString lowLoadBeyond(const LowLoadValues &values);
[[nodiscard]] QString lowLoadProvenance(const LowLoadValues &values);

} // namespace shardscope
