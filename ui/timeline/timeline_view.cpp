// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr double kZoomStep = 0.8;
constexpr double kPanShare = 0.15;

using Kind = IterationChoice::Kind;

/// Of the control, in its order.
std::vector<IterationChoice> choicesOf(const TimelineData &data)
{
    std::vector<IterationChoice> choices{{Kind::Median, 0}, {Kind::Fastest, 0}, {Kind::Slowest, 0}};
    for (int number = 1; number <= data.timedCount; ++number)
        choices.push_back({Kind::Number, number});
    return choices;
}

} // namespace

TimelineView::TimelineView(Playback *playback, QWidget *parent)
    : QWidget(parent), m_playback(playback), m_plot(new TimelinePlot(this)), m_steps(new QComboBox(this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline"));
    connect(playback, &Playback::positionChanged, this, &TimelineView::showPlayhead);
    connect(playback, &Playback::hoveredStepChanged, this, &TimelineView::showHoveredStep);
    m_steps->setAccessibleName(tr("Measured step that is drawn"));
    m_steps->setToolTip(tr("Which of the measured steps is drawn ( < and > )"));
    m_steps->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_steps, &QComboBox::activated, this,
            [this](int index) { choose(choicesOf(m_plot->content().data)[static_cast<std::size_t>(index)]); });
    setRun(nullptr, false);
}

void TimelineView::setRun(std::shared_ptr<const Run> run, bool stale)
{
    const std::shared_ptr<const Run> before = m_plot->content().run;
    const bool same = before && run && before->experiment() == run->experiment() && before->source == run->source;
    if (!same && m_choice.kind == Kind::Number)
        m_choice = {};
    // Another experiment begins at the whole step; a refined one keeps what the user is looking at.
    showRun(std::move(run), stale, same);
}

void TimelineView::choose(const IterationChoice &choice)
{
    if (choice == m_choice)
        return;
    m_choice = choice;
    showRun(m_plot->content().run, m_plot->content().stale, true);
}

void TimelineView::showRun(std::shared_ptr<const Run> run, bool stale, bool keepView)
{
    const TimeRange view = m_plot->view();
    const bool whole = view == wholeView(duration());
    select(nullptr);
    m_plot->setContent(timelineContent(run, stale, m_choice));
    m_map = run ? PlayheadMap(sceneList(run->plan), m_plot->content().data, *run) : PlayheadMap();
    m_plot->setView(keepView && !whole ? clampedView(view, duration()) : wholeView(duration()));
    const TimelineContent &content = m_plot->content();
    setAccessibleDescription(content.caption.isEmpty() ? content.title
                                                       : content.title + QStringLiteral(". ") + content.caption);
    fillSteps();
    showPlayhead();
}

void TimelineView::fillSteps()
{
    const TimelineData &drawn = m_plot->content().data;
    const std::vector<IterationChoice> choices =
        drawn.timedCount > 1 ? choicesOf(drawn) : std::vector<IterationChoice>();
    QStringList texts;
    for (const IterationChoice &choice : choices)
        texts << choiceText(drawn, choice);
    QStringList shown;
    for (int i = 0; i < m_steps->count(); ++i)
        shown << m_steps->itemText(i);
    const QSignalBlocker quiet(m_steps);
    if (texts != shown) {
        m_steps->clear();
        m_steps->addItems(texts);
    }
    const auto chosen = std::find(choices.begin(), choices.end(), m_choice);
    m_steps->setCurrentIndex(chosen == choices.end() ? 0 : static_cast<int>(chosen - choices.begin()));
    placeSteps();
}

/// At the right end of the title's row, which keeps clear of it.
void TimelineView::placeSteps()
{
    m_steps->setVisible(m_steps->count() > 0);
    const QSize box = m_steps->sizeHint();
    const int margin = qRound(m_plot->style().px(14));
    m_steps->setGeometry(std::max(margin, width() - margin - box.width()), qRound(m_plot->style().px(8)), box.width(),
                         box.height());
    m_plot->setReserved(m_steps->count() > 0 ? box.width() + margin : 0);
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
    m_steps->setFont(uiFont(13, unit));
    placeSteps();
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
    const std::vector<const TimelineBar *> bars = shown.collectives(rank);
    if (bars.empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(bars.size());
    std::ptrdiff_t next = direction > 0 ? 0 : count - 1;
    if (m_selected && m_selected->collective)
        next = (std::ranges::find(bars, m_selected) - bars.begin() + direction + count) % count;
    const TimelineBar &bar = *bars[static_cast<std::size_t>(next)];
    select(&bar);
    const TimeRange view = m_plot->view();
    if (static_cast<double>(bar.begin) < view.begin || static_cast<double>(bar.end) > view.end) {
        const double centre = static_cast<double>(bar.begin + bar.end) / 2;
        m_plot->setView(pannedView(view, centre - (view.begin + view.end) / 2, duration()));
    }
}

/// Ends at the first and the last; from the median the neighbour of its number.
void TimelineView::goToStep(int direction)
{
    const TimelineData &shown = m_plot->content().data;
    if (shown.timedCount > 1)
        choose({Kind::Number, std::clamp(shown.timedNumber + direction, 1, shown.timedCount)});
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
    const TimelineBar *bar = m_plot->gantt().barAtPixel(event->position());
    select(bar);
    if (!m_map.empty() && m_plot->laneRect().contains(event->position().toPoint()))
        m_playback->setPosition(m_map.positionAt(m_plot->timeAtPixel(event->position().x())));
    if (bar && bar->collective)
        Q_EMIT derivationRequested(bar->step);
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
    case Qt::Key_Less:
        return goToStep(-1);
    case Qt::Key_Greater:
        return goToStep(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selected)
            Q_EMIT derivationRequested(m_selected->step);
        return;
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

void TimelineView::showFocus()
{
    m_plot->overlay().keyboardHere = hasFocus();
    m_plot->updateOverlay();
}

void TimelineView::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    showFocus();
}

void TimelineView::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    showFocus();
}

void TimelineView::resizeEvent(QResizeEvent *event)
{
    m_plot->resize(size());
    placeSteps();
    QWidget::resizeEvent(event);
}

} // namespace shardscope
