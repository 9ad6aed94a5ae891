// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/playback.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr int kTickMilliseconds = 16;
constexpr double kSlowest = 0.25;
constexpr double kFastest = 4;

} // namespace

Playback::Playback(QObject *parent) : QObject(parent)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kTickMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &Playback::advance);
}

bool Playback::playing() const
{
    return m_timer.isActive();
}

void Playback::setSceneCount(int scenes)
{
    m_sceneCount = std::max(0, scenes);
    setPosition(m_position);
}

void Playback::restartClock()
{
    m_startPosition = m_position;
    m_clock.restart();
}

void Playback::setSpeed(double speed)
{
    const double clamped = std::clamp(speed, kSlowest, kFastest);
    if (clamped == m_speed)
        return;
    m_speed = clamped;
    restartClock();
    Q_EMIT speedChanged(m_speed);
}

void Playback::setSceneSeconds(double seconds)
{
    m_sceneSeconds = std::max(0.05, seconds);
    restartClock();
}

void Playback::setPosition(double position)
{
    moveTo(position);
    restartClock();
}

/// The last scene ends at its end: position sceneCount is the end of everything.
void Playback::moveTo(double position)
{
    const double clamped = std::isfinite(position) ? std::clamp(position, 0.0, static_cast<double>(m_sceneCount)) : 0;
    if (clamped == m_position)
        return;
    m_position = clamped;
    Q_EMIT positionChanged(m_position);
}

void Playback::play()
{
    if (playing() || m_sceneCount == 0)
        return;
    if (m_position >= m_sceneCount)
        moveTo(0);
    m_stopAt = -1;
    restartClock();
    m_timer.start();
    Q_EMIT playingChanged(true);
}

void Playback::pause()
{
    if (!playing())
        return;
    m_timer.stop();
    Q_EMIT playingChanged(false);
}

void Playback::toggle()
{
    playing() ? pause() : play();
}

void Playback::stepForward()
{
    // A first press finishes the animation that runs, so that a lecturer never loses a hop.
    const double next = std::floor(m_position) + 1;
    if (playing()) {
        pause();
        setPosition(next);
        return;
    }
    if (m_position >= m_sceneCount)
        return;
    play();
    m_stopAt = next;
}

void Playback::stepBack()
{
    pause();
    setPosition(std::ceil(m_position) - 1);
}

void Playback::setHoveredStep(int step)
{
    if (step == m_hoveredStep)
        return;
    m_hoveredStep = step;
    Q_EMIT hoveredStepChanged(step);
}

void Playback::follow(const QString &tensor)
{
    if (tensor == m_followed)
        return;
    m_followed = tensor;
    Q_EMIT followedTensorChanged(tensor);
}

void Playback::advance()
{
    const double elapsed = static_cast<double>(m_clock.nsecsElapsed()) * 1e-9;
    // Another plan may have fewer scenes than the one in which the step began.
    const double end = m_stopAt < 0 ? m_sceneCount : std::min<double>(m_stopAt, m_sceneCount);
    moveTo(std::min(end, m_startPosition + elapsed * m_speed / m_sceneSeconds));
    if (m_position >= end)
        pause();
}

} // namespace shardscope
