// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/transport_bar.h"

#include "ui/playback.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope {
namespace {

constexpr std::array kSpeeds{0.25, 0.5, 1.0, 2.0, 4.0};
constexpr double kIconPixels = 18;

void addTriangle(QPainterPath &path, double tip, double base)
{
    path.moveTo(tip, 0.5);
    path.lineTo(base, 0.18);
    path.lineTo(base, 0.82);
    path.closeSubpath();
}

void addBar(QPainterPath &path, double x)
{
    path.addRect(QRectF(x, 0.18, 0.12, 0.64));
}

/// In the unit square.
QPainterPath shapeOf(TransportIcon icon)
{
    QPainterPath path;
    switch (icon) {
    case TransportIcon::First:
        addBar(path, 0.14);
        addTriangle(path, 0.30, 0.80);
        break;
    case TransportIcon::StepBack:
        addTriangle(path, 0.16, 0.62);
        addBar(path, 0.70);
        break;
    case TransportIcon::Play:
        addTriangle(path, 0.84, 0.24);
        break;
    case TransportIcon::Pause:
        path.addRect(QRectF(0.24, 0.18, 0.18, 0.64));
        path.addRect(QRectF(0.58, 0.18, 0.18, 0.64));
        break;
    case TransportIcon::StepForward:
        addBar(path, 0.18);
        addTriangle(path, 0.84, 0.38);
        break;
    case TransportIcon::Last:
        addTriangle(path, 0.70, 0.20);
        addBar(path, 0.74);
        break;
    }
    return path;
}

QPixmap drawn(TransportIcon icon, const QColor &ink, int pixels)
{
    constexpr int kOversampling = 3; // sharp at any screen ratio
    QPixmap pixmap(pixels * kOversampling, pixels * kOversampling);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(pixels * kOversampling, pixels * kOversampling);
    painter.fillPath(shapeOf(icon), ink);
    return pixmap;
}

} // namespace

QIcon transportIcon(TransportIcon icon, const QColor &ink, const QColor &disabled, int pixels)
{
    QIcon result;
    result.addPixmap(drawn(icon, ink, pixels), QIcon::Normal);
    result.addPixmap(drawn(icon, disabled, pixels), QIcon::Disabled);
    return result;
}

TransportBar::TransportBar(QWidget *parent)
    : QWidget(parent), m_theme(&Theme::light()), m_first(addButton(tr("First step"), tr("Home"))),
      m_back(addButton(tr("Step back"), tr("Left"))), m_play(addButton(tr("Play or pause"), tr("Space"))),
      m_forward(addButton(tr("Step forward"), tr("Right"))), m_last(addButton(tr("Last step"), tr("End"))),
      m_speed(new QComboBox(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    for (QToolButton *button : {m_first, m_back, m_play, m_forward, m_last})
        row->addWidget(button);
    row->addWidget(m_speed);
    for (const double speed : kSpeeds)
        m_speed->addItem(QStringLiteral("%1×").arg(speed));
    m_speed->setCurrentIndex(2);
    m_speed->setAccessibleName(tr("Speed"));
    m_speed->setToolTip(tr("Speed of the animation ( [ and ] )"));
    connect(m_speed, &QComboBox::activated, this, &TransportBar::selectSpeed);
    updateIcons();
}

QToolButton *TransportBar::addButton(const QString &name, const QString &keys)
{
    auto *button = new QToolButton(this);
    button->setAccessibleName(name);
    button->setToolTip(QStringLiteral("%1 (%2)").arg(name, keys));
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

void TransportBar::setPlayback(Playback *playback)
{
    if (m_playback) {
        m_playback->disconnect(this);
        for (QToolButton *button : {m_first, m_back, m_play, m_forward, m_last})
            button->disconnect(m_playback);
    }
    m_playback = playback;
    if (!playback)
        return;
    connect(m_first, &QToolButton::clicked, playback, [playback] {
        playback->pause();
        playback->setPosition(0);
    });
    connect(m_back, &QToolButton::clicked, playback, &Playback::stepBack);
    connect(m_play, &QToolButton::clicked, playback, &Playback::toggle);
    connect(m_forward, &QToolButton::clicked, playback, &Playback::stepForward);
    connect(m_last, &QToolButton::clicked, playback, [playback] {
        playback->pause();
        playback->setPosition(playback->sceneCount() - 1);
    });
    connect(playback, &Playback::playingChanged, this, &TransportBar::updateState);
    connect(playback, &Playback::positionChanged, this, &TransportBar::updateState);
    connect(playback, &Playback::speedChanged, this, &TransportBar::updateState);
    updateState();
}

void TransportBar::setTheme(const Theme &theme)
{
    m_theme = &theme;
    updateIcons();
}

void TransportBar::setUnit(double unit)
{
    m_unit = unit;
    updateIcons();
}

void TransportBar::updateIcons()
{
    const int pixels = std::max(8, static_cast<int>(std::lround(kIconPixels * m_unit)));
    const auto set = [&](QToolButton *button, TransportIcon icon) {
        button->setIconSize({pixels, pixels});
        button->setIcon(transportIcon(icon, m_theme->text, m_theme->border, pixels));
    };
    const bool playing = m_playback && m_playback->playing();
    set(m_first, TransportIcon::First);
    set(m_back, TransportIcon::StepBack);
    set(m_play, playing ? TransportIcon::Pause : TransportIcon::Play);
    set(m_forward, TransportIcon::StepForward);
    set(m_last, TransportIcon::Last);
}

void TransportBar::updateState()
{
    if (!m_playback)
        return;
    const bool playing = m_playback->playing();
    if (m_play->property("playing").toBool() != playing) {
        m_play->setProperty("playing", playing);
        updateIcons();
    }
    const bool atStart = m_playback->position() <= 0;
    m_first->setEnabled(!atStart);
    m_back->setEnabled(!atStart);
    m_forward->setEnabled(m_playback->position() < m_playback->sceneCount());
    const auto nearest = std::min_element(kSpeeds.begin(), kSpeeds.end(), [&](double a, double b) {
        return std::abs(a - m_playback->speed()) < std::abs(b - m_playback->speed());
    });
    m_speed->setCurrentIndex(static_cast<int>(nearest - kSpeeds.begin()));
}

void TransportBar::selectSpeed(int index)
{
    if (m_playback)
        m_playback->setSpeed(kSpeeds[static_cast<std::size_t>(std::clamp(index, 0, 4))]);
}

} // namespace shardscope
