// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/statistics.h"
#include "ui/run_lookups.h"

#include <QString>
#include <QStringList>
#include <vector>

namespace shardscope {

/// One scheme on the layer, in a training step of so many tokens over all ranks.
struct CrossoverPoint {
    std::int64_t tokens = 0;
    Experiment experiment;
};
struct CrossoverPoints {
    Scheme scheme = Scheme::Mlp;
    std::vector<CrossoverPoint> points;   ///< ascending
    std::vector<CrossoverPoint> measured; ///< those of them worth running here
};
/// The layer of the workbench under tensor parallelism, ZeRO-3, data parallelism and as a pipeline, on as many ranks
/// and layers; tokens around the place where the first two cross. Empty with one rank.
[[nodiscard]] std::vector<CrossoverPoints> crossoverPoints(const Experiment &experiment);

/// Why tensor parallelism cannot share the layer among so many ranks; empty where it can, and with one rank.
[[nodiscard]] QString crossoverProblem(const Experiment &experiment);

/// A point with what is known of it.
struct CrossoverValue {
    std::int64_t tokens = 0;
    std::int64_t plannedBytes = 0;  ///< sent per rank in a step, counted in the plan
    RunPtr measured;                ///< may be null
    std::int64_t observedBytes = 0; ///< of it
    Distribution measuredStep;      ///< of it: times of a step, in nanoseconds; median 0: not known
    double predictedNs = 0;         ///< 0: not predicted
};
struct CrossoverCurve {
    Scheme scheme = Scheme::Mlp;
    QString name;  ///< "TP", "ZeRO-3"
    QString moves; ///< what, when, and whether compute waits for it
    int microBatches = 1;
    std::vector<CrossoverValue> points;
};
/// Where tensor parallelism begins to send more than another scheme.
struct CrossoverPlace {
    QString name;       ///< of the other
    QString formula;    ///< "P/(2·L·h)"
    double tokens = 0;  ///< by the formula
    double counted = 0; ///< between the counted points; 0: beyond them
    double bytes = 0;   ///< there, per rank and step
};

struct CrossoverValues {
    Experiment asked;                   ///< the workbench's
    Experiment experiment;              ///< of tensor parallelism, at the first point
    QString problem;                    ///< why there are no curves; may be empty
    std::int64_t parameters = 0;        ///< P
    double allReduces = 0;              ///< of [tokens, h] to which a layer's activations amount in a step
    QStringList options;                ///< not at their defaults, of all schemes
    QStringList ownOptions;             ///< of tensor parallelism alone: sequence parallel, recompute, ...
    std::vector<CrossoverCurve> curves; ///< tensor parallelism first
    std::vector<CrossoverPlace> places;
    Hardware hardware;           ///< of the predicted times
    RunPtr predicted;            ///< any of them
    int asCounted = 0;           ///< measured points whose observed bytes are those of the plan
    int measured = 0;            ///< points
    QString refusal;             ///< why nothing can be measured here; empty: something can
    std::int64_t affordable = 0; ///< tokens beyond which a step takes too long to be measured here

    /// Predicted times stand beside measured ones only where they are of the same machine.
    [[nodiscard]] bool showsPredicted() const;
    /// Any of the measured points; null without any.
    [[nodiscard]] const Run *anyMeasured() const;
};
/// `measured` belongs to `points`, those of `asked`, scheme by scheme; `refusal`: why none of them can run here, empty
/// where some can. May take long, in any thread.
[[nodiscard]] CrossoverValues crossoverValues(const Experiment &asked, const std::vector<CrossoverPoints> &points,
                                              const std::vector<RunPtr> &measured, const RunLookups &runs,
                                              const QString &refusal = {});

[[nodiscard]] QString crossoverFinding(const CrossoverValues &values);
/// Which layer is drawn, and what of it is not as in the workbench.
[[nodiscard]] QString crossoverSetting(const CrossoverValues &values);
[[nodiscard]] QString crossoverProvenance(const CrossoverValues &values);

} // namespace shardscope
