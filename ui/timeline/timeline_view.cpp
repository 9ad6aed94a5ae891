// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <cmath>

namespace shardscope {
namespace {

constexpr double kZoomStep = 0.8;
constexpr double kPanShare = 0.15;

} // namespace

TimelineView::TimelineView(Playback *playback, QWidget *parent)
    : QWidget(parent), m_playback(playback), m_plot(new TimelinePlot(this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline"));
    connect(playback, &Playback::positionChanged, this, &TimelineView::showPlayhead);
    connect(playback, &Playback::hoveredStepChanged, this, &TimelineView::showHoveredStep);
    setRun(nullptr, false);
}

void TimelineView::setRun(std::shared_ptr<const Run> run, bool stale)
{
    const std::shared_ptr<const Run> before = m_plot->content().run;
    const TimeRange view = m_plot->view();
    const bool whole = view == wholeView(duration());
    const bool same = before && run && before->experiment() == run->experiment() && before->source == run->source;
    m_selected = nullptr;
    m_plot->setContent(timelineContent(run, stale));
    m_map = run ? PlayheadMap(sceneList(run->plan), m_plot->content().data, *run) : PlayheadMap();
    // Another experiment begins at the whole step; a refined one keeps what the user is looking at.
    m_plot->setView(same && !whole ? clampedView(view, duration()) : wholeView(duration()));
    setAccessibleDescription(m_plot->content().title);
    showPlayhead();
}

void TimelineView::setTheme(const Theme &theme)
{
    TimelineStyle style = m_plot->style();
    style.theme = theme;
    m_plot->setStyle(style);
}

void TimelineView::setUnit(double unit)
{
    TimelineStyle style = m_plot->style();
    style.unit = unit;
    m_plot->setStyle(style);
}

double TimelineView::duration() const
{
    return static_cast<double>(m_plot->content().data.durationNs);
}

void TimelineView::showPlayhead()
{
    TimelineOverlay &overlay = m_plot->overlay();
    overlay.playheadNs = m_map.empty() ? std::nullopt : std::optional(m_map.timeAt(m_playback->position()));
    m_plot->updateOverlay();
}

void TimelineView::showHoveredStep(int step)
{
    m_plot->overlay().hoveredStep = step;
    m_plot->updateOverlay();
}

void TimelineView::focusBar(const TimelineBar *bar)
{
    if (m_plot->overlay().focused == bar)
        return;
    m_plot->overlay().focused = bar;
    m_playback->setHoveredStep(bar ? bar->step : -1);
    if (bar)
        setAccessibleDescription(barDescription(m_plot->content(), *bar).join(QStringLiteral("; ")));
    m_plot->updateOverlay();
}

void TimelineView::select(const TimelineBar *bar)
{
    m_selected = bar;
    focusBar(bar);
}

double TimelineView::anchorTime() const
{
    const QPoint cursor = mapFromGlobal(QCursor::pos());
    if (m_plot->laneRect().contains(cursor))
        return m_plot->timeAtPixel(cursor.x());
    const TimeRange view = m_plot->view();
    return (view.begin + view.end) / 2;
}

void TimelineView::zoom(double factor, double anchor)
{
    m_plot->setView(zoomedView(m_plot->view(), factor, anchor, duration()));
}

void TimelineView::pan(double share)
{
    const TimeRange view = m_plot->view();
    m_plot->setView(pannedView(view, share * view.size(), duration()));
}

/// First the selection; when that is what is seen already, or nothing is selected, everything.
void TimelineView::fit()
{
    const TimeRange whole = wholeView(duration());
    if (!m_selected) {
        m_plot->setView(whole);
        return;
    }
    const TimeRange bar{static_cast<double>(m_selected->begin), static_cast<double>(m_selected->end)};
    const TimeRange target = selectionView(bar, duration());
    m_plot->setView(m_plot->view() == target ? whole : target);
}

/// On the selected bar's rank, else on rank 0; wraps around.
void TimelineView::goToCollective(int direction)
{
    const TimelineData &shown = m_plot->content().data;
    if (shown.empty() || !shown.communicates)
        return;
    const int rank = m_selected ? m_selected->rank : 0;
    const std::vector<TimelineBar> &bars = shown.lane(rank, Stream::Communication).bars;
    if (bars.empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(bars.size());
    std::ptrdiff_t next = direction > 0 ? 0 : count - 1;
    if (m_selected && m_selected->collective)
        next = (m_selected - bars.data() + direction + count) % count;
    const TimelineBar &bar = bars[static_cast<std::size_t>(next)];
    select(&bar);
    const TimeRange view = m_plot->view();
    if (static_cast<double>(bar.begin) < view.begin || static_cast<double>(bar.end) > view.end) {
        const double centre = static_cast<double>(bar.begin + bar.end) / 2;
        m_plot->setView(pannedView(view, centre - (view.begin + view.end) / 2, duration()));
    }
}

void TimelineView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressedAt = event->position();
    m_pressedView = m_plot->view();
    m_dragging = false;
}

void TimelineView::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_pressedAt) {
        focusBar(m_plot->gantt().barAtPixel(event->position()));
        return;
    }
    const double moved = event->position().x() - m_pressedAt->x();
    m_dragging |= std::abs(moved) >= QApplication::startDragDistance();
    if (!m_dragging)
        return;
    setCursor(Qt::ClosedHandCursor);
    const double perPixel = m_pressedView.size() / std::max(1, m_plot->laneRect().width());
    m_plot->setView(pannedView(m_pressedView, -moved * perPixel, duration()));
}

void TimelineView::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_pressedAt || event->button() != Qt::LeftButton)
        return;
    m_pressedAt.reset();
    unsetCursor();
    if (m_dragging)
        return;
    select(m_plot->gantt().barAtPixel(event->position()));
    if (!m_map.empty() && m_plot->laneRect().contains(event->position().toPoint()))
        m_playback->setPosition(m_map.positionAt(m_plot->timeAtPixel(event->position().x())));
}

void TimelineView::wheelEvent(QWheelEvent *event)
{
    const QPoint delta = event->angleDelta();
    if (event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(delta.x()) > std::abs(delta.y()))
        pan(-(delta.x() + (delta.x() ? 0 : delta.y())) / 120.0 * kPanShare);
    else if (delta.y() != 0)
        zoom(std::pow(kZoomStep, delta.y() / 120.0), m_plot->timeAtPixel(event->position().x()));
    event->accept();
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_W:
        return zoom(kZoomStep, anchorTime());
    case Qt::Key_S:
        return zoom(1 / kZoomStep, anchorTime());
    case Qt::Key_A:
        return pan(-kPanShare);
    case Qt::Key_D:
        return pan(kPanShare);
    case Qt::Key_F:
        return fit();
    case Qt::Key_Comma:
        return goToCollective(-1);
    case Qt::Key_Period:
        return goToCollective(1);
    case Qt::Key_Escape:
        if (m_selected)
            return select(nullptr);
        [[fallthrough]];
    default:
        QWidget::keyPressEvent(event);
    }
}

void TimelineView::leaveEvent(QEvent *event)
{
    focusBar(m_selected);
    QWidget::leaveEvent(event);
}

void TimelineView::resizeEvent(QResizeEvent *event)
{
    m_plot->resize(size());
    QWidget::resizeEvent(event);
}

} // namespace shardscope
