// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/scrub_bar.h"
#include "ui/texts.h"

#include "ui/diagram/scene_list.h"
#include "ui/diagram/text_box.h"
#include "ui/diagram/words.h"
#include "ui/playback.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr double kLabelPixels = 11;
constexpr double kMostWeight = 3;      ///< of a collective, in compute steps
constexpr std::size_t kMostNamed = 18; ///< steps; more leave each no room for its name

} // namespace

ScrubBar::ScrubBar(QWidget *parent) : QWidget(parent), m_theme(&Theme::light())
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Animation position"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ScrubBar::setPlan(std::shared_ptr<const Plan> plan)
{
    m_segments = plan ? scrubSegments(*plan) : std::vector<ScrubSegment>();
    m_before.assign(1, 0);
    for (const ScrubSegment &segment : m_segments)
        m_before.push_back(m_before.back() + weight(segment));
    m_groups = plan && m_segments.size() > kMostNamed ? scrubGroups(*plan) : std::vector<ScrubGroup>();
    arrangeRows();
    updateAccessibleText();
    update();
}

void ScrubBar::setTheme(const Theme &theme)
{
    m_theme = &theme;
    update();
}

void ScrubBar::setUnit(double unit)
{
    m_unit = unit;
    arrangeRows();
    update();
}

void ScrubBar::setPlayback(Playback *playback)
{
    if (m_playback)
        m_playback->disconnect(this);
    m_playback = playback;
    if (!playback)
        return;
    arrangeRows();
    connect(playback, &Playback::positionChanged, this, [this] {
        showGroup();
        updateAccessibleText();
        update();
    });
    connect(playback, &Playback::hoveredStepChanged, this, [this] { update(); });
}

QSize ScrubBar::sizeHint() const
{
    const int rows = !grouped() ? 0 : m_split > 0 ? 2 : 1;
    return {static_cast<int>(400 * m_unit), static_cast<int>(std::ceil((38 + rows * kStepRow) * m_unit))};
}

QSize ScrubBar::minimumSizeHint() const
{
    return {static_cast<int>(120 * m_unit), sizeHint().height()};
}

QRectF ScrubBar::track() const
{
    const double margin = 10 * m_unit;
    return {margin, 9 * m_unit, width() - 2 * margin, 4 * m_unit};
}

double ScrubBar::weight(const ScrubSegment &segment) const
{
    return std::clamp(1 + 0.35 * (segment.scenes - 1), 1.0, kMostWeight);
}

double ScrubBar::xOf(double position) const
{
    const QRectF bar = track();
    if (m_segments.empty())
        return bar.right();
    const auto index = static_cast<std::size_t>(segmentOf(position));
    const ScrubSegment &segment = m_segments[index];
    const double inside = std::clamp((position - segment.firstScene) / segment.scenes, 0.0, 1.0);
    return bar.x() + bar.width() * (m_before[index] + inside * weight(segment)) / m_before.back();
}

double ScrubBar::positionAt(double x) const
{
    if (m_segments.empty())
        return 0;
    const QRectF bar = track();
    const double left = std::clamp((x - bar.x()) / bar.width(), 0.0, 1.0) * m_before.back();
    const auto next = std::upper_bound(m_before.begin() + 1, m_before.end(), left);
    const auto index = std::min(static_cast<std::size_t>(next - m_before.begin()) - 1, m_segments.size() - 1);
    const ScrubSegment &segment = m_segments[index];
    return segment.firstScene + (left - m_before[index]) / weight(segment) * segment.scenes;
}

int ScrubBar::segmentAt(double x) const
{
    return segmentOf(positionAt(x));
}

int ScrubBar::segmentOf(double position) const
{
    const auto ended = std::ranges::partition_point(
        m_segments, [&](const ScrubSegment &segment) { return segment.firstScene + segment.scenes <= position; });
    return std::min(static_cast<int>(ended - m_segments.begin()), static_cast<int>(m_segments.size()) - 1);
}

int ScrubBar::groupOf(int segment) const
{
    const auto ended = std::ranges::partition_point(
        m_groups, [&](const ScrubGroup &group) { return group.firstSegment + group.segments <= segment; });
    return ended == m_groups.end() ? 0 : static_cast<int>(ended - m_groups.begin());
}

QRectF ScrubBar::stepRect(int step) const
{
    const auto found = std::ranges::find_if(m_boxes, [&](const StepBox &box) { return segmentIn(box).step == step; });
    return found == m_boxes.end() ? QRectF() : found->box;
}

int ScrubBar::stepUnder(const QPointF &point) const
{
    const auto found = std::ranges::find_if(m_boxes, [&](const StepBox &box) { return box.box.contains(point); });
    return found == m_boxes.end() ? -1 : segmentIn(*found).step;
}

void ScrubBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrangeRows();
}

void ScrubBar::paintEvent(QPaintEvent *)
{
    if (m_segments.empty() || !m_playback)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintTrack(painter);
    if (grouped()) {
        paintGroups(painter);
        paintSteps(painter);
    } else {
        paintSegments(painter);
    }
    painter.setPen(QPen(m_theme->background, 2 * m_unit));
    painter.setBrush(m_theme->accent);
    const double radius = (hasFocus() ? 8.5 : 7) * m_unit;
    painter.drawEllipse(QPointF(xOf(m_playback->position()), track().center().y()), radius, radius);
}

void ScrubBar::paintTrack(QPainter &painter) const
{
    const QRectF bar = track();
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme->border);
    painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2);
    painter.setBrush(m_theme->accent);
    painter.drawRoundedRect(QRectF(bar.topLeft(), QPointF(xOf(m_playback->position()), bar.bottom())), bar.height() / 2,
                            bar.height() / 2);
}

/// Where a piece begins, and that the mouse is on it.
void ScrubBar::paintMark(QPainter &painter, double left, double right, bool lit) const
{
    const QRectF bar = track();
    const bool passed = left <= xOf(m_playback->position());
    painter.setPen(QPen(passed ? m_theme->accent : m_theme->text3, 1.4 * m_unit));
    painter.drawLine(QPointF(left, bar.y() - 4 * m_unit), QPointF(left, bar.bottom() + 4 * m_unit));
    if (lit)
        painter.fillRect(QRectF(left, bar.y() - 3 * m_unit, right - left, bar.height() + 6 * m_unit),
                         QColor(m_theme->accent.red(), m_theme->accent.green(), m_theme->accent.blue(), 60));
}

void ScrubBar::paintSegments(QPainter &painter) const
{
    const QRectF bar = track();
    for (const ScrubSegment &segment : m_segments) {
        const double left = xOf(segment.firstScene);
        const double right = xOf(segment.firstScene + segment.scenes);
        const bool current = m_playback->position() >= segment.firstScene &&
                             m_playback->position() < segment.firstScene + segment.scenes;
        paintMark(painter, left, right, m_playback->hoveredStep() == segment.step);
        TextBox label{{left + 1, bar.bottom() + 5 * m_unit, right - left - 2, 18 * m_unit},
                      segment.label,
                      kLabelPixels * m_unit,
                      current ? 700 : 400,
                      current ? m_theme->accent : m_theme->text2,
                      Qt::AlignCenter};
        const double smallest = kLabelPixels * m_unit * 0.8;
        // What the step makes says more than the first letters of how.
        if (fitted(label, smallest).text != label.text)
            label.text = label.text.section(QStringLiteral(" = "), 0, 0);
        if (label.box.width() >= 14 * m_unit)
            drawTextBox(painter, fitted(label, smallest));
    }
}

void ScrubBar::mousePressEvent(QMouseEvent *event)
{
    if (!m_playback || event->button() != Qt::LeftButton)
        return;
    m_playback->pause();
    const int step = stepUnder(event->position());
    if (step >= 0)
        goToSegment(step);
    else
        m_playback->setPosition(positionAt(event->position().x()));
}

void ScrubBar::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_playback || m_segments.empty())
        return;
    const int step = stepUnder(event->position());
    if (event->buttons() & Qt::LeftButton) {
        if (step < 0)
            m_playback->setPosition(positionAt(event->position().x()));
        return;
    }
    const int index = step >= 0 ? step : segmentAt(event->position().x());
    const ScrubSegment &segment = m_segments[static_cast<std::size_t>(index)];
    m_playback->setHoveredStep(segment.step);
    QString words = segment.scenes == 1 ? segment.label : tr("%1, %2 hops").arg(segment.label).arg(segment.scenes);
    if (grouped())
        words = m_groups[static_cast<std::size_t>(groupOf(index))].label + QStringLiteral(": ") + words;
    setToolTip(words);
}

void ScrubBar::leaveEvent(QEvent *event)
{
    if (m_playback)
        m_playback->setHoveredStep(-1);
    QWidget::leaveEvent(event);
}

void ScrubBar::keyPressEvent(QKeyEvent *event)
{
    if (!m_playback || m_segments.empty())
        return QWidget::keyPressEvent(event);
    const int here = segmentOf(m_playback->position());
    if (grouped() && event->modifiers() & Qt::ControlModifier) {
        const int next = groupOf(here) + (event->key() == Qt::Key_PageDown) - (event->key() == Qt::Key_PageUp);
        const auto last = static_cast<int>(m_groups.size()) - 1;
        return goToSegment(m_groups[static_cast<std::size_t>(std::clamp(next, 0, last))].firstSegment);
    }
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Up:
        return m_playback->setPosition(std::floor(m_playback->position()) + 1);
    case Qt::Key_Left:
    case Qt::Key_Down:
        return m_playback->stepBack();
    case Qt::Key_PageDown:
        return goToSegment(here + 1);
    case Qt::Key_PageUp:
        return goToSegment(here - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT derivationRequested(m_segments[static_cast<std::size_t>(here)].step);
        return;
    case Qt::Key_Home:
        return m_playback->setPosition(0);
    case Qt::Key_End:
        return goToSegment(static_cast<int>(m_segments.size()) - 1);
    default:
        QWidget::keyPressEvent(event);
    }
}

void ScrubBar::goToSegment(int index)
{
    const int last = static_cast<int>(m_segments.size()) - 1;
    m_playback->pause();
    m_playback->setPosition(m_segments[static_cast<std::size_t>(std::clamp(index, 0, last))].firstScene);
}

void ScrubBar::updateAccessibleText()
{
    if (m_segments.empty() || !m_playback)
        return;
    const ScrubSegment &segment = m_segments[static_cast<std::size_t>(segmentOf(m_playback->position()))];
    setAccessibleDescription(tr("%1 of %2: %3").arg(segment.step + 1).arg(m_segments.size()).arg(segment.label));
}

} // namespace shardscope
