// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_data.h"

#include <QFontMetricsF>
#include <QString>
#include <QStringList>
#include <memory>

namespace shardscope {

/// How the timeline is drawn.
struct TimelineStyle {
    Theme theme = Theme::light();
    double unit = 1;     ///< pixels per design pixel
    bool vector = false; ///< SVG, PDF: no merging of bars

    [[nodiscard]] double px(double designPixels) const { return designPixels * unit; }
};

/// What the timeline shows: the run, the chosen iteration and the sentences about it.
struct TimelineContent {
    std::shared_ptr<const Run> run;
    TimelineData data;
    bool stale = false;
    QString title;   ///< the finding
    QString caption; ///< which step, of which source
    QString warning; ///< stale, rejected records; empty: none

    [[nodiscard]] const Step &step(int index) const { return run->plan.steps[static_cast<std::size_t>(index)]; }
    [[nodiscard]] BarOrigin origin() const;
};

[[nodiscard]] TimelineContent timelineContent(std::shared_ptr<const Run> run, bool stale,
                                              const IterationChoice &choice = {});

/// As many whole notes of a caption as fit the width; of the first one what fits.
[[nodiscard]] QString captionWithin(QString caption, const QFontMetricsF &metrics, double width);

/// Choices of the control beside the title: "Median: step 7, 194 ms".
[[nodiscard]] QString choiceText(const TimelineData &data, const IterationChoice &choice);

/// What the tooltip says of a bar: name, then duration with its parts, sizes, bandwidth and its convention.
[[nodiscard]] QStringList barDescription(const TimelineContent &content, const TimelineBar &bar);

/// "rank 3", on several hosts "beta · rank 3", of one that stands for others "GPU 0 · pp 0 and 1023 alike".
[[nodiscard]] QString rowTitle(const TimelineContent &content, int row);

/// "FORWARD".
[[nodiscard]] QString passHeading(Pass pass);

} // namespace shardscope
