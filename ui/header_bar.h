// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/run_status.h"

#include <QPair>
#include <QVector>

class QAction;
class QBoxLayout;
class QHBoxLayout;
class QMenu;
class QProgressBar;
class QPushButton;

namespace shardscope {

class SegmentedChoice;

/// A dot: filled when the numbers were measured, hollow when they are predicted.
class StatusDot : public QWidget, public LookUser
{
public:
    explicit StatusDot(QWidget *parent = nullptr);
    void setStatus(const RunStatus &status);
    void applyLook(const Look &look) override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Look m_look;
    RunStatus::State m_state = RunStatus::State::Predicted;
    bool m_incomplete = false;
    bool m_failed = false;
};

/// Title, what the numbers are, run and cancel, menus.
class HeaderBar : public QWidget, public LookUser
{
    Q_OBJECT
public:
    explicit HeaderBar(QWidget *parent = nullptr);

    void setStatus(const RunStatus &status);
    /// The menus behind Export and the menu button.
    void setMenus(QMenu *exportMenu, QMenu *mainMenu);
    void setThemeAction(QAction *action);
    /// The switch between what the window shows, each with its words and tooltip; the first is chosen.
    void setPages(const QVector<QPair<QString, QString>> &pages);
    void setPage(int index);
    /// Status, progress and Run belong beside what is run.
    void setRunShown(bool shown);
    void applyLook(const Look &look) override;
    /// Two rows where one is too narrow, and the menu of pages.
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void runRequested();
    void cancelRequested();
    void pageChosen(int index);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    /// The switch between pages where all its words have room, else a menu of them; one row, or two where the words of
    /// now do not fit into one.
    void arrangeRows();
    [[nodiscard]] QMenu *newPageMenu(const QVector<QPair<QString, QString>> &pages);
    void showWhatConcerns();

    Look m_look;
    StatusDot *m_dot;
    TextLabel *m_status;
    TextLabel *m_honesty;
    QProgressBar *m_progress;
    QPushButton *m_run;
    QPushButton *m_cancel;
    QPushButton *m_export;
    QPushButton *m_theme;
    QPushButton *m_menu;
    SegmentedChoice *m_pages = nullptr;
    QPushButton *m_pageMenu; ///< in the place of the switch
    QVector<QAction *> m_pageActions;
    QHBoxLayout *m_left;
    QHBoxLayout *m_right;
    QBoxLayout *m_rows = nullptr;
    bool m_running = false;
    bool m_runShown = true;
};

} // namespace shardscope
