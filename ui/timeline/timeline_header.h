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
    /// How much of it is shown: a low card gives its height to the lanes.
    enum class Extent { Full, WithoutLegend, TitleOnly };
    void setExtent(Extent extent) { m_extent = extent; }
    /// Pixels at the right end of the title that belong to a control.
    void setReserved(double pixels) { m_reserved = pixels; }
    /// Pixels that the header needs at this width.
    [[nodiscard]] int heightFor(double width) const;

protected:
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override;
    void draw(QCPPainter *painter) override;

private:
    struct LegendEntry {
        QString text;
        BarPaint paint;
        enum class Kind { Plain, Hatch, Hops, Hidden } kind = Kind::Plain;
    };
    /// One legend entry or caption, placed: offsets from the header's top left corner.
    struct Placed {
        LegendEntry entry;
        QRectF rect;
    };
    [[nodiscard]] std::vector<LegendEntry> legend() const;
    /// Entries in rows that break where the width ends.
    [[nodiscard]] std::vector<Placed> placedLegend(double width) const;
    [[nodiscard]] bool hasCaption() const;
    [[nodiscard]] double titleHeight() const;
    void drawTitle(QCPPainter *painter) const;
    void drawCaption(QCPPainter *painter, QRectF row) const;
    void drawLegend(QCPPainter *painter) const;
    void drawPasses(QCPPainter *painter) const;

    QCPAxis *m_timeAxis;
    const TimelineContent *m_content = nullptr;
    TimelineStyle m_style;
    Extent m_extent = Extent::Full;
    double m_reserved = 0;
};

} // namespace shardscope
