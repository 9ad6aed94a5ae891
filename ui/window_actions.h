// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QVector>

class QAction;
class QKeyEvent;
class QMenu;
class QWidget;

namespace shardscope {

class Playback;

/// Everything that a key or a menu can do, in one table: menus, shortcuts and the list of keys come from it.
class WindowActions : public QObject
{
    Q_OBJECT
public:
    explicit WindowActions(QWidget &window);

    QAction *open, *save, *quit;
    QAction *undo, *redo;
    QAction *run, *cancel;
    QAction *connectRemote, *useThisMachine;
    QAction *exportPicture, *copyPicture, *copyCommand;
    QAction *theme;
    QVector<QAction *> themes; ///< one for each, its id as data
    QAction *larger, *smaller, *normalSize;
    QVector<QAction *> pages; ///< one for each, its PageId as data
    QAction *keys;

    [[nodiscard]] QMenu *newMainMenu(QWidget &parent) const;

    /// Keys that move the picture; they reach the window only when no edit wants them. True: the key was used.
    static bool handlePlaybackKey(const QKeyEvent &event, Playback &playback);

    /// Key and what it does, for the list.
    struct KeyLine {
        QString key;
        QString action;
    };
    [[nodiscard]] static QVector<KeyLine> keyList();
};

} // namespace shardscope
