// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/statistics.h"
#include "ui/run_lookups.h"

#include <QString>
#include <vector>

namespace shardscope {

/// One way to run the layer once.
struct PhasePoint {
    QString title; ///< "Training", "+ full recomputation"
    Experiment experiment;
};
/// Training as it is, with selective and with full recomputation where the scheme has them, prefill, decode.
[[nodiscard]] std::vector<PhasePoint> phasePoints(const Experiment &experiment);

/// A point with what is known of it: measured, else predicted.
struct PhaseRow {
    PhasePoint point;
    RunPtr run;
    RunSummary summary;
    std::optional<double> toPrefill; ///< bytes over those of a prefill, of alike; empty without a prefill that sends
    bool ratioPredicted = false;     ///< that is of predictions: the rows' own runs are not alike and give another

    [[nodiscard]] bool predicted() const { return run->isPrediction(); }
    [[nodiscard]] double tokens() const { return static_cast<double>(point.experiment.globalTokens()); }
    /// What ratios compare: the step without its optimizer.
    [[nodiscard]] const PassSummary &sums() const { return summary.withoutOptimizer; }
    [[nodiscard]] double bytesPerToken() const;
    [[nodiscard]] std::optional<double> communicationPerToken() const; ///< nanoseconds
    [[nodiscard]] std::optional<double> stepPerToken() const;          ///< nanoseconds
    [[nodiscard]] std::optional<double> share() const;                 ///< of the step, 0 to 1
};

/// Why a row sends so many times a prefill's bytes.
struct PhaseReason {
    QString ratio; ///< "2.0×"
    QString words;
};

struct PhasesValues {
    Experiment experiment; ///< the workbench's
    std::vector<PhaseRow> rows;
    std::vector<PhaseReason> reasons;
    QString finding;   ///< bytes and time apart, per step: of runs that are alike, and of which
    QString perToken;  ///< the same per token; may be empty
    QString bubble;    ///< of a pipeline; else empty
    QString optimizer; ///< what the table leaves out; else empty

    [[nodiscard]] const PhaseRow *find(Phase phase) const;
};
/// `measured` belongs to the points, null where nothing was; the rest is predicted. May take long, in any thread.
[[nodiscard]] PhasesValues phasesValues(const Experiment &experiment, const std::vector<PhasePoint> &points,
                                        const std::vector<RunPtr> &measured, const RunLookups &runs);

/// Which layer, and what the marks of the rows mean.
[[nodiscard]] QString phasesSetting(const PhasesValues &values);
/// For the footer of a picture.
[[nodiscard]] QString phasesProvenance(const PhasesValues &values);

} // namespace shardscope
