// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_plot.h"

#include "ui/diagram/matrix_view.h"
#include "ui/diagram/paint_target.h"
#include "ui/translation.h"

#include <QPicture>
#include <algorithm>

namespace shardscope {
namespace {

// Wanted for the lanes before the header gives way.
constexpr double kLowLane = 16;
constexpr double kLeastLanes = 56;
constexpr double kLowLanes = 88;
constexpr double kAxisRoom = 60; ///< time axis with its label and the margins

/// Ticks of time_axis.h; QCustomPlot's own labels depend on the locale.
class TimeTicker : public QCPAxisTicker
{
public:
    /// QCustomPlot asks for ticks before it has laid the axis out, so the count comes from outside.
    TimeTicker(QCPAxis *axis, const int *maximum) : m_axis(axis), m_maximum(maximum) {}

    void generate(const QCPRange &range, const QLocale &, QChar, int, QVector<double> &ticks, QVector<double> *subTicks,
                  QVector<QString> *tickLabels) override
    {
        const TimeTicks nice = timeTicks({range.lower, range.upper}, *m_maximum);
        ticks = QVector<double>(nice.at.begin(), nice.at.end());
        if (subTicks)
            subTicks->clear();
        if (tickLabels)
            *tickLabels = QVector<QString>(nice.labels.begin(), nice.labels.end());
        m_axis->setLabel(tr("Time since the start of the step, %1").arg(nice.unit));
    }

private:
    QCPAxis *m_axis;
    const int *m_maximum;
};

} // namespace

TimelinePlot::TimelinePlot(QWidget *parent) : QCustomPlot(parent), m_rankTicker(new QCPAxisTickerText)
{
    setInteractions(QCP::iNone);
    // Mouse and keys belong to TimelineView.
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
    m_gantt = new GanttPlottable(xAxis, yAxis);
    m_header = new TimelineHeader(this, xAxis);
    m_overlay = new TimelineOverlay(this, m_gantt);
    plotLayout()->insertRow(0);
    plotLayout()->addElement(0, 0, m_header);
    xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new TimeTicker(xAxis, &m_timeTicks)));
    yAxis->setTicker(m_rankTicker);
    yAxis->setRangeReversed(true);
    setStyle(m_style);
    setContent({});
}

void TimelinePlot::setContent(TimelineContent content)
{
    m_content = std::move(content);
    m_header->setContent(&m_content);
    m_gantt->setContent(&m_content);
    m_overlay->setContent(&m_content);
    yAxis->setRange(0, std::max(1, m_content.data.rowCount()));
    axisRect()->setVisible(!m_content.data.empty());
    for (QCPAxis *axis : axisRect()->axes())
        axis->setVisible((axis == xAxis || axis == yAxis) && !m_content.data.empty());
    arrange(size());
    replot(QCustomPlot::rpQueuedReplot);
}

void TimelinePlot::setStyle(const TimelineStyle &style)
{
    m_style = style;
    m_header->setStyle(style);
    m_gantt->setStyle(style);
    m_overlay->setStyle(style);
    styleAxes();
    arrange(size());
    replot(QCustomPlot::rpQueuedReplot);
}

void TimelinePlot::setView(const TimeRange &view)
{
    xAxis->setRange(view.begin, view.end);
    replot(QCustomPlot::rpQueuedReplot);
}

TimeRange TimelinePlot::view() const
{
    return {xAxis->range().lower, xAxis->range().upper};
}

void TimelinePlot::updateOverlay()
{
    // The first replot, queued since the plot was made, makes the buffers and draws the overlay into its own; before it
    // there is nothing to repaint.
    if (mPaintBuffers.isEmpty())
        return;
    layer(QStringLiteral("overlay"))->replot();
}

void TimelinePlot::setReserved(int pixels)
{
    m_header->setReserved(pixels);
    replot(QCustomPlot::rpQueuedReplot);
}

/// QCustomPlot paints only through its own painter class, which opens a device of its own; a recorded picture carries
/// the drawing, still as vectors, into any painter.
void TimelinePlot::paintOn(QPainter &painter, const QSize &size)
{
    QPicture picture;
    QCPPainter recorder(&picture);
    recorder.setMode(QCPPainter::pmVectorized);
    recorder.setMode(QCPPainter::pmNoCaching);
    toPainter(&recorder, size.width(), size.height());
    recorder.end();
    painter.save();
    // Qt plays a picture in inches; ours is in the painter's own pixels, whatever the device's resolution.
    painter.scale(static_cast<double>(picture.logicalDpiX()) / painter.device()->logicalDpiX(),
                  static_cast<double>(picture.logicalDpiY()) / painter.device()->logicalDpiY());
    painter.drawPicture(0, 0, picture);
    painter.restore();
}

void TimelinePlot::styleAxes()
{
    const Theme &theme = m_style.theme;
    const auto px = [&](double design) { return static_cast<int>(m_style.px(design) + 0.5); };
    setBackground(QBrush(theme.surface));
    for (QCPAxis *axis : {xAxis, yAxis}) {
        axis->setBasePen(QPen(theme.border, m_style.px(1)));
        axis->setTickPen(QPen(theme.border, m_style.px(1)));
        axis->setTickLabelFont(uiFont(13, m_style.unit));
        axis->setTickLabelColor(theme.text2);
        axis->setLabelFont(uiFont(13, m_style.unit, 600));
        axis->setLabelColor(theme.text2);
        axis->grid()->setPen(QPen(theme.grid, m_style.px(1)));
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->setTickLabelPadding(px(4));
        axis->setLabelPadding(px(2));
        axis->setTickLengthIn(0);
        axis->setTickLengthOut(px(4));
        axis->setSubTicks(false);
    }
    yAxis->setTickLengthOut(0);
    yAxis->grid()->setVisible(false);
    // Else its 50 pixels and its axis would take what a low card lacks from the header, which would lie on itself.
    axisRect()->setMinimumSize(0, 0);
    axisRect()->setMinimumMargins(QMargins(0, 0, px(8), 0));
    plotLayout()->setRowSpacing(0);
    plotLayout()->setMargins(QMargins(px(14), px(10), px(14), px(8)));
}

void TimelinePlot::arrange(const QSize &size)
{
    const QMargins outer = plotLayout()->margins();
    const int ranks = std::max(1, m_content.data.rowCount());
    const double wanted = m_style.px(std::clamp(kLowLane * ranks, kLeastLanes, kLowLanes));
    int height = 0;
    double lanes = 0;
    // The first extent that leaves the lanes their room: a header squeezed by the layout would lie on itself.
    for (const auto extent :
         {TimelineHeader::Extent::Full, TimelineHeader::Extent::WithoutLegend, TimelineHeader::Extent::TitleOnly}) {
        m_header->setExtent(extent);
        height = m_header->heightFor(std::max(1, size.width() - outer.left() - outer.right()));
        lanes = size.height() - height - m_style.px(kAxisRoom);
        if (lanes >= wanted)
            break;
    }
    m_header->setMinimumSize(0, height);
    m_header->setMaximumSize(QWIDGETSIZE_MAX, height);
    m_timeTicks = std::max(2, static_cast<int>((size.width() - m_style.px(100)) / m_style.px(80)));
    labelRanks(lanes / ranks);
}

/// "rank 0", "rank 1", ...; with less room every 2nd, 4th, ... so that labels do not touch.
void TimelinePlot::labelRanks(double laneHeight)
{
    int every = 1;
    const int rows = m_content.data.rowCount();
    while (every * laneHeight < m_style.px(15) && every < rows)
        every *= 2;
    m_rankTicker->clear();
    for (int row = 0; row < rows; row += every)
        m_rankTicker->addTick(row + 0.5, rowTitle(m_content, row));
}

void TimelinePlot::paintEvent(QPaintEvent *event)
{
    if (QPainter painter(this); !paintsOnScreen(painter, devicePixelRatioF())) {
        paintOn(painter, size());
        return;
    }
    // QCustomPlot 2.1.0 keeps the ratio of the screen on which it was made.
    if (bufferDevicePixelRatio() != devicePixelRatioF()) {
        setBufferDevicePixelRatio(devicePixelRatioF());
        replot(QCustomPlot::rpQueuedRefresh);
    }
    QCustomPlot::paintEvent(event);
}

void TimelinePlot::resizeEvent(QResizeEvent *event)
{
    arrange(event->size());
    QCustomPlot::resizeEvent(event);
}

} // namespace shardscope
