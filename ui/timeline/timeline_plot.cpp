// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_plot.h"

#include <QCoreApplication>
#include <algorithm>

namespace shardscope {
namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Timeline", text);
}

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
    yAxis->setRange(0, std::max(1, m_content.data.ranks));
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
    layer(QStringLiteral("overlay"))->replot();
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
    axisRect()->setMinimumMargins(QMargins(0, 0, px(8), 0));
    plotLayout()->setRowSpacing(0);
    plotLayout()->setMargins(QMargins(px(14), px(10), px(14), px(8)));
}

void TimelinePlot::arrange(const QSize &size)
{
    const QMargins outer = plotLayout()->margins();
    const int height = m_header->heightFor(std::max(1, size.width() - outer.left() - outer.right()));
    m_header->setMinimumSize(0, height);
    m_header->setMaximumSize(QWIDGETSIZE_MAX, height);
    m_timeTicks = std::max(2, static_cast<int>((size.width() - m_style.px(100)) / m_style.px(80)));
    const double lanes = size.height() - height - m_style.px(60);
    labelRanks(lanes / std::max(1, m_content.data.ranks));
}

/// "rank 0", "rank 1", ...; with less room every 2nd, 4th, ... so that labels do not touch.
void TimelinePlot::labelRanks(double laneHeight)
{
    int every = 1;
    while (every * laneHeight < m_style.px(15) && every < m_content.data.ranks)
        every *= 2;
    m_rankTicker->clear();
    for (int rank = 0; rank < m_content.data.ranks; rank += every)
        m_rankTicker->addTick(rank + 0.5, tr("rank %1").arg(rank));
}

void TimelinePlot::paintEvent(QPaintEvent *event)
{
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
