// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_content.h"

#include <qcustomplot.h>
#include <vector>

namespace shardscope {

/// Above the lanes: the finding, which step is shown, the legend, and the names of the passes over their lanes.
class TimelineHeader : public QCPLayoutElement
{
    Q_OBJECT
public:
    TimelineHeader(QCustomPlot *plot, QCPAxis *timeAxis);

    void setContent(const TimelineContent *content) { m_content = content; }
    void setStyle(const TimelineStyle &style) { m_style = style; }
    /// Pixels that the header needs at this width.
    [[nodiscard]] int heightFor(double width) const;

protected:
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override;
    void draw(QCPPainter *painter) override;

private:
    struct LegendEntry {
        QString text;
        QColor colour;
        enum class Kind { Plain, Hatch, Hops } kind = Kind::Plain;
    };
    /// One legend entry or caption, placed: offsets from the header's top left corner.
    struct Placed {
        LegendEntry entry;
        QRectF rect;
    };
    [[nodiscard]] std::vector<LegendEntry> legend() const;
    /// Entries in rows that break where the width ends.
    [[nodiscard]] std::vector<Placed> placedLegend(double width) const;
    [[nodiscard]] double titleHeight() const;
    void drawTitle(QCPPainter *painter) const;
    void drawLegend(QCPPainter *painter) const;
    void drawPasses(QCPPainter *painter) const;

    QCPAxis *m_timeAxis;
    const TimelineContent *m_content = nullptr;
    TimelineStyle m_style;
};

} // namespace shardscope
