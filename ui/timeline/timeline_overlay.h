// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/gantt_plottable.h"

#include <optional>

namespace shardscope {

/// What moves over the lanes: playhead, frames around the hovered step and bar, and the tooltip. On a buffered layer
/// of its own, so that a moving playhead does not repaint the bars.
class TimelineOverlay : public QCPLayerable
{
    Q_OBJECT
public:
    TimelineOverlay(QCustomPlot *plot, GanttPlottable *gantt);

    void setContent(const TimelineContent *content);
    void setStyle(const TimelineStyle &style) { m_style = style; }

    std::optional<double> playheadNs;     ///< empty: no playhead
    int hoveredStep = -1;                 ///< framed on all ranks
    bool keyboardHere = false;            ///< a frame around everything
    const TimelineBar *focused = nullptr; ///< under the mouse or chosen by key: framed, with tooltip

protected:
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override;
    void draw(QCPPainter *painter) override;

private:
    void drawStepFrames(QCPPainter *painter) const;
    void drawPlayhead(QCPPainter *painter) const;
    void drawTooltip(QCPPainter *painter) const;

    GanttPlottable *m_gantt;
    const TimelineContent *m_content = nullptr;
    TimelineStyle m_style;
};

} // namespace shardscope
