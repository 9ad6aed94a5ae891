// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"

#include <QIcon>
#include <QPointer>
#include <QWidget>

class QComboBox;
class QToolButton;

namespace shardscope {

class Playback;

/// Icons drawn as paths: Inter has no media characters.
enum class TransportIcon { First, StepBack, Play, Pause, StepForward, Last };
[[nodiscard]] QIcon transportIcon(TransportIcon icon, const QColor &ink, const QColor &disabled, int pixels);

/// First, step back, play or pause, step forward, last, and the speed.
class TransportBar : public QWidget
{
    Q_OBJECT
public:
    explicit TransportBar(QWidget *parent = nullptr);

    void setPlayback(Playback *playback);
    void setTheme(const Theme &theme);
    void setUnit(double unit);

private:
    QToolButton *addButton(const QString &name, const QString &keys);
    void updateIcons();
    void updateState();
    void selectSpeed(int index);

    QPointer<Playback> m_playback;
    const Theme *m_theme;
    double m_unit = 1;
    QToolButton *m_first;
    QToolButton *m_back;
    QToolButton *m_play;
    QToolButton *m_forward;
    QToolButton *m_last;
    QComboBox *m_speed;
};

} // namespace shardscope
