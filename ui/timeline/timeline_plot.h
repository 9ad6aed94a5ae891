// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_header.h"
#include "ui/timeline/timeline_overlay.h"

#include <memory>
#include <qcustomplot.h>

namespace shardscope {

/// The plot itself: header, lanes, time axis and overlay, for the screen and for export alike. Knows no mouse and no
/// keys; see TimelineView.
class TimelinePlot : public QCustomPlot
{
    Q_OBJECT
public:
    explicit TimelinePlot(QWidget *parent = nullptr);

    /// Keeps the view; the caller decides whether it still fits.
    void setContent(TimelineContent content);
    void setStyle(const TimelineStyle &style);
    void setView(const TimeRange &view);

    [[nodiscard]] const TimelineContent &content() const { return m_content; }
    [[nodiscard]] const TimelineStyle &style() const { return m_style; }
    [[nodiscard]] TimeRange view() const;
    [[nodiscard]] TimelineOverlay &overlay() { return *m_overlay; }
    [[nodiscard]] const GanttPlottable &gantt() const { return *m_gantt; }
    [[nodiscard]] QRect laneRect() const { return axisRect()->rect(); }
    [[nodiscard]] double timeAtPixel(double x) const { return xAxis->pixelToCoord(x); }

    /// Repaints the overlay alone.
    void updateOverlay();
    /// Pixels at the right end of the title that a control covers.
    void setReserved(int pixels);
    /// The plot in `size` of the painter's own pixels, as vectors where the painter writes them.
    void paintOn(QPainter &painter, const QSize &size);
    /// Sizes that depend on the widget's size; before painting at a size of one's own.
    void arrange(const QSize &size);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void styleAxes();
    void labelRanks(double laneHeight);

    TimelineContent m_content;
    TimelineStyle m_style;
    TimelineHeader *m_header = nullptr;
    GanttPlottable *m_gantt = nullptr;
    TimelineOverlay *m_overlay = nullptr;
    QSharedPointer<QCPAxisTickerText> m_rankTicker;
    int m_timeTicks = 5; ///< as many as fit
};

} // namespace shardscope
