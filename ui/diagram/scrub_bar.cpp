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
constexpr double kMostWeight = 3; ///< of a collective, in compute steps

} // namespace

std::vector<ScrubSegment> scrubSegments(const Plan &plan)
{
    std::vector<ScrubSegment> segments;
    const std::vector<Scene> scenes = sceneList(plan);
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        if (!segments.empty() && segments.back().step == scenes[i].step) {
            ++segments.back().scenes;
            continue;
        }
        const Step &step = plan.steps[static_cast<std::size_t>(scenes[i].step)];
        segments.push_back({step.id, static_cast<int>(i), 1, formulaText(step.label), step.pass});
    }
    return segments;
}

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
    updateGeometry();
    update();
}

void ScrubBar::setPlayback(Playback *playback)
{
    if (m_playback)
        m_playback->disconnect(this);
    m_playback = playback;
    if (!playback)
        return;
    connect(playback, &Playback::positionChanged, this, [this] {
        updateAccessibleText();
        update();
    });
    connect(playback, &Playback::hoveredStepChanged, this, [this] { update(); });
}

QSize ScrubBar::sizeHint() const
{
    return {static_cast<int>(400 * m_unit), static_cast<int>(std::ceil(38 * m_unit))};
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

double ScrubBar::totalWeight() const
{
    double total = 0;
    for (const ScrubSegment &segment : m_segments)
        total += weight(segment);
    return std::max(total, 1e-9);
}

double ScrubBar::xOf(double position) const
{
    const QRectF bar = track();
    double before = 0;
    for (const ScrubSegment &segment : m_segments) {
        const double inside = (position - segment.firstScene) / segment.scenes;
        if (inside < 1)
            return bar.x() + bar.width() * (before + std::max(0.0, inside) * weight(segment)) / totalWeight();
        before += weight(segment);
    }
    return bar.right();
}

double ScrubBar::positionAt(double x) const
{
    const QRectF bar = track();
    double left = std::clamp((x - bar.x()) / bar.width(), 0.0, 1.0) * totalWeight();
    for (const ScrubSegment &segment : m_segments) {
        if (left < weight(segment))
            return segment.firstScene + left / weight(segment) * segment.scenes;
        left -= weight(segment);
    }
    return m_segments.empty() ? 0 : m_segments.back().firstScene + m_segments.back().scenes;
}

int ScrubBar::segmentAt(double x) const
{
    const double position = positionAt(x);
    for (std::size_t i = 0; i < m_segments.size(); ++i) {
        if (position < m_segments[i].firstScene + m_segments[i].scenes)
            return static_cast<int>(i);
    }
    return static_cast<int>(m_segments.size()) - 1;
}

void ScrubBar::paintEvent(QPaintEvent *)
{
    if (m_segments.empty() || !m_playback)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF bar = track();
    const double now = xOf(m_playback->position());
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme->border);
    painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2);
    painter.setBrush(m_theme->accent);
    painter.drawRoundedRect(QRectF(bar.topLeft(), QPointF(now, bar.bottom())), bar.height() / 2, bar.height() / 2);

    for (const ScrubSegment &segment : m_segments) {
        const double left = xOf(segment.firstScene);
        const double right = xOf(segment.firstScene + segment.scenes);
        const bool current = m_playback->position() >= segment.firstScene &&
                             m_playback->position() < segment.firstScene + segment.scenes;
        const bool lit = m_playback->hoveredStep() == segment.step;
        painter.setPen(QPen(left <= now ? m_theme->accent : m_theme->text3, 1.4 * m_unit));
        painter.drawLine(QPointF(left, bar.y() - 4 * m_unit), QPointF(left, bar.bottom() + 4 * m_unit));
        if (lit)
            painter.fillRect(QRectF(left, bar.y() - 3 * m_unit, right - left, bar.height() + 6 * m_unit),
                             QColor(m_theme->accent.red(), m_theme->accent.green(), m_theme->accent.blue(), 60));
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
    painter.setPen(QPen(m_theme->background, 2 * m_unit));
    painter.setBrush(m_theme->accent);
    const double radius = (hasFocus() ? 8.5 : 7) * m_unit;
    painter.drawEllipse(QPointF(now, bar.center().y()), radius, radius);
}

void ScrubBar::mousePressEvent(QMouseEvent *event)
{
    if (!m_playback || event->button() != Qt::LeftButton)
        return;
    m_playback->pause();
    m_playback->setPosition(positionAt(event->position().x()));
}

void ScrubBar::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_playback || m_segments.empty())
        return;
    if (event->buttons() & Qt::LeftButton) {
        m_playback->setPosition(positionAt(event->position().x()));
        return;
    }
    const ScrubSegment &segment = m_segments[static_cast<std::size_t>(segmentAt(event->position().x()))];
    m_playback->setHoveredStep(segment.step);
    setToolTip(segment.scenes == 1 ? segment.label : tr("%1, %2 hops").arg(segment.label).arg(segment.scenes));
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
    const int here = segmentAt(xOf(m_playback->position()));
    const auto toSegment = [&](int index) {
        const int last = static_cast<int>(m_segments.size()) - 1;
        m_playback->pause();
        m_playback->setPosition(m_segments[static_cast<std::size_t>(std::clamp(index, 0, last))].firstScene);
    };
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Up:
        return m_playback->setPosition(std::floor(m_playback->position()) + 1);
    case Qt::Key_Left:
    case Qt::Key_Down:
        return m_playback->stepBack();
    case Qt::Key_PageDown:
        return toSegment(here + 1);
    case Qt::Key_PageUp:
        return toSegment(here - 1);
    case Qt::Key_Home:
        return m_playback->setPosition(0);
    case Qt::Key_End:
        return toSegment(static_cast<int>(m_segments.size()) - 1);
    default:
        QWidget::keyPressEvent(event);
    }
}

void ScrubBar::updateAccessibleText()
{
    if (m_segments.empty() || !m_playback)
        return;
    const ScrubSegment &segment = m_segments[static_cast<std::size_t>(segmentAt(xOf(m_playback->position())))];
    setAccessibleDescription(tr("%1 of %2: %3").arg(segment.step + 1).arg(m_segments.size()).arg(segment.label));
}

} // namespace shardscope
