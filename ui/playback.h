// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

namespace shardscope {

/// Where the picture stands: the one object that diagram, timeline and scrub bar share; views never call each other.
/// Position is in scenes: scene k occupies [k, k+1), its fraction is the animation's progress. A scene is a compute
/// step of the plan or one hop of a collective (see diagram/scene_list.h).
class Playback : public QObject
{
    Q_OBJECT
public:
    explicit Playback(QObject *parent = nullptr);

    [[nodiscard]] double position() const { return m_position; }
    [[nodiscard]] int sceneCount() const { return m_sceneCount; }
    [[nodiscard]] bool playing() const;
    [[nodiscard]] double speed() const { return m_speed; }
    [[nodiscard]] int hoveredStep() const { return m_hoveredStep; } ///< plan step under the mouse anywhere; -1: none
    [[nodiscard]] QString followedTensor() const { return m_followed; }

    void setSceneCount(int scenes);       ///< keeps the position when it still fits
    void setSpeed(double speed);          ///< 0.25 to 4
    void setSceneSeconds(double seconds); ///< duration of a scene at speed 1

public Q_SLOTS:
    void setPosition(double position);
    void play();
    void pause();
    void toggle();
    void stepForward(); ///< plays one scene; while one plays, jumps to its end
    void stepBack();
    void setHoveredStep(int step);
    void follow(const QString &tensor); ///< empty: none

Q_SIGNALS:
    void positionChanged(double position);
    void playingChanged(bool playing);
    void hoveredStepChanged(int step);
    void followedTensorChanged(const QString &tensor);
    void speedChanged(double speed);

private:
    void advance();
    void restartClock();
    void moveTo(double position);

    double m_position = 0;
    int m_sceneCount = 0;
    double m_speed = 1;
    double m_sceneSeconds = 1.5;
    int m_hoveredStep = -1;
    QString m_followed;
    QTimer m_timer;
    QElapsedTimer m_clock; ///< time from the clock, never from summed ticks
    double m_startPosition = 0;
    double m_stopAt = -1; ///< end of the scene that stepForward plays; negative: play to the end
};

} // namespace shardscope
