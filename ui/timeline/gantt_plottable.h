// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/gantt_bars.h"
#include "ui/timeline/timeline_content.h"

#include <qcustomplot.h>

namespace shardscope {

/// All bars of the timeline in one plottable: a lane per rank, sub-lanes for compute and collectives. Key axis: time
/// in nanoseconds; value axis: rank, rank r occupies [r, r + 1).
class GanttPlottable : public QCPAbstractPlottable
{
    Q_OBJECT
public:
    GanttPlottable(QCPAxis *timeAxis, QCPAxis *rankAxis);

    void setContent(const TimelineContent *content) { m_content = content; }
    void setStyle(const TimelineStyle &style) { m_style = style; }

    /// The bar under a pixel of the plot; null: none.
    [[nodiscard]] const TimelineBar *barAtPixel(const QPointF &pixel) const;
    /// Where a bar is drawn, also when it reaches out of the view.
    [[nodiscard]] QRectF barRect(const TimelineBar &bar) const;

    double selectTest(const QPointF &pixel, bool onlySelectable, QVariant *details = nullptr) const override;
    QCPRange getKeyRange(bool &found, QCP::SignDomain domain = QCP::sdBoth) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain domain = QCP::sdBoth,
                           const QCPRange &keys = QCPRange()) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *painter, const QRectF &rect) const override;

private:
    struct LaneSpan {
        double top = 0;
        double bottom = 0;
        [[nodiscard]] double height() const { return bottom - top; }
    };
    /// `place` as in TimelineData::laneAt.
    [[nodiscard]] LaneSpan laneSpan(int rank, int place) const;
    [[nodiscard]] TimeRange view() const;
    void drawGround(QCPPainter *painter) const;
    void drawHostLines(QCPPainter *painter) const;
    void drawLane(QCPPainter *painter, const TimelineLane &lane) const;
    void drawBar(QCPPainter *painter, const VisibleBar &visible, const LaneSpan &span) const;
    void drawHops(QCPPainter *painter, const TimelineLane &lane, const LaneSpan &span) const;
    void drawAxisNames(QCPPainter *painter) const;
    void drawMicroBatches(QCPPainter *painter, const TimelineLane &lane, const LaneSpan &span) const;
    void drawHidden(QCPPainter *painter, const TimelineLane &lane, const LaneSpan &span) const;
    struct FittedLabel {
        QString text; ///< empty: nothing fits
        double pixels = 0;
    };
    [[nodiscard]] FittedLabel fittedLabel(const QString &label, double pixels, double width) const;
    void drawLabel(QCPPainter *painter, const TimelineBar &bar, const QRectF &rect, const QColor &fill) const;
    [[nodiscard]] BarPaint paintOf(const TimelineBar &bar) const;

    const TimelineContent *m_content = nullptr;
    TimelineStyle m_style;
};

/// Compute of a pass. Predicted bars are hollow; those of the darker passes are filled more, so that what differs when
/// measured differs when predicted.
[[nodiscard]] BarPaint computePaint(const Theme &theme, Pass pass, BarOrigin origin);
/// Of the notches that mark hops.
[[nodiscard]] QColor hopColour(const Theme &theme);
/// Hatch and frame of the waiting part; the legend draws the same.
void drawWaitingHatch(QPainter *painter, const QRectF &rect, const TimelineStyle &style, bool stale);

} // namespace shardscope
