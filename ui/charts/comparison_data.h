// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/comparison_painter.h"

#include <QColor>
#include <optional>
#include <vector>

namespace shardscope {

/// What one chart shows.
enum class Metric { Collectives, SentBytes, CommunicationTime, CommunicationShare, StepTime };

/// A number with its spread, in the metric's unit: a count, bytes, nanoseconds, or a share from 0 to 1.
struct ChartValue {
    double value = 0;
    std::optional<double> p10; ///< with p90: the whisker
    std::optional<double> p90;
};

/// One bar: what was predicted, drawn hollow, and what was measured, drawn solid.
struct ChartRow {
    QString label;
    QColor colour;
    std::optional<ChartValue> predicted;
    std::optional<ChartValue> measured;
    QString details; ///< formula and exact numbers, several lines
    /// The number to read on the bar: the measured one where there is one.
    [[nodiscard]] const std::optional<ChartValue> &shown() const { return measured ? measured : predicted; }
};

struct ChartTick {
    double at = 0;
    QString text;
};

/// One chart: three phases, or one rank beside N.
struct ChartGroup {
    Metric metric = Metric::Collectives;
    QString title;    ///< the finding
    QString quantity; ///< quantity and unit of the axis
    double to = 1;    ///< value at the right end of the axis, which begins at 0
    std::vector<ChartTick> ticks;
    std::vector<ChartRow> rows;
    /// Place of a value on the axis, 0 to 1.
    [[nodiscard]] double place(double value) const;
};

struct ComparisonData {
    std::vector<ChartGroup> groups;
    QString finding; ///< what the phases show
    QString speedup; ///< why N ranks are faster or slower than one; may be empty
    bool predicted = false;
    bool measured = false;
    bool recorded = false; ///< what stands as measured was measured elsewhere or before
    bool whiskers = false;
    bool stale = false;   ///< what stands as measured was measured for other settings
    QString predictedFor; ///< the machine of the hollow bars
    QString partial;      ///< of the solid ones, what has fewer steps than were asked for
};

/// Everything that the picture says, without a painter.
[[nodiscard]] ComparisonData comparisonData(const ComparisonFrame &frame);

/// A value of the metric as written on its bar.
[[nodiscard]] QString valueText(Metric metric, double value);
/// "Training".
[[nodiscard]] QString phaseTitle(Phase phase);

/// Range and ticks of the axis from the rows' values.
void scaleAxis(ChartGroup &group);
/// The finding of one chart, from its rows.
[[nodiscard]] QString chartTitle(const ChartGroup &group, bool perToken, int ranks);

} // namespace shardscope
