// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window_actions.h"

#include "ui/pages/page_list.h"
#include "ui/playback.h"

#include <QAction>
#include <QActionGroup>
#include <QKeyEvent>
#include <QMenu>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope {

namespace {

constexpr double kSpeedStep = 2; ///< from one speed of the transport bar to the next

QAction *newAction(QWidget &window, const QString &text, const QList<QKeySequence> &keys)
{
    auto *action = new QAction(text, &window);
    action->setShortcuts(keys);
    window.addAction(action);
    return action;
}

QVector<QAction *> newThemeActions(QWidget &window)
{
    const std::pair<const char *, QString> names[] = {{"light", WindowActions::tr("L&ight")},
                                                      {"dark", WindowActions::tr("Dar&k")},
                                                      {"projector", WindowActions::tr("&Projector, strong contrast")}};
    auto *group = new QActionGroup(&window);
    QVector<QAction *> themes;
    for (const auto &[id, text] : names) {
        QAction *action = group->addAction(text);
        action->setCheckable(true);
        action->setData(QLatin1String(id));
        themes << action;
    }
    return themes;
}

QVector<QAction *> newPageActions(QWidget &window)
{
    QVector<QAction *> actions;
    for (const PageInfo &page : pageList()) {
        actions << newAction(window, pageTitle(page), {QKeySequence(pageKeys(actions.size()))});
        actions.back()->setData(static_cast<int>(page.id));
    }
    return actions;
}

void goTo(Playback &playback, double position)
{
    playback.pause();
    playback.setPosition(position);
}

/// The step that was seen last, or the one that is being played, once more.
void replay(Playback &playback)
{
    goTo(playback, std::max(0.0, std::ceil(playback.position()) - 1));
    playback.stepForward();
}

} // namespace

WindowActions::WindowActions(QWidget &window)
    : QObject(&window), open(newAction(window, tr("&Open a run…"), {QKeySequence::Open})),
      save(newAction(window, tr("&Save the run…"), {QKeySequence::Save})),
      quit(newAction(window, tr("&Quit"), {QKeySequence(Qt::CTRL | Qt::Key_Q)})),
      undo(newAction(window, tr("&Undo"), {QKeySequence(Qt::CTRL | Qt::Key_Z)})),
      redo(newAction(window, tr("&Redo"),
                     {QKeySequence(Qt::CTRL | Qt::Key_Y), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)})),
      run(newAction(window, tr("R&un"), {QKeySequence(Qt::CTRL | Qt::Key_R)})),
      cancel(newAction(window, tr("Cance&l the run"), {QKeySequence(Qt::Key_Escape)})),
      connectRemote(newAction(window, tr("Connect to another &machine…"), {})),
      useThisMachine(newAction(window, tr("&Back to this machine"), {})),
      exportPicture(newAction(window, tr("&Export a picture…"), {QKeySequence(Qt::CTRL | Qt::Key_E)})),
      copyPicture(newAction(window, tr("&Copy the picture"), {QKeySequence::Copy})),
      copyCommand(newAction(window, tr("Copy as command &line"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)})),
      // T is no window-wide shortcut: a list that has the keyboard looks for words that begin with it.
      theme(newAction(window, tr("&Dark or light theme\tT"), {})), themes(newThemeActions(window)),
      larger(newAction(window, tr("&Larger"),
                       {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)})),
      smaller(newAction(window, tr("&Smaller"), {QKeySequence(Qt::CTRL | Qt::Key_Minus)})),
      normalSize(newAction(window, tr("&Normal size"), {QKeySequence(Qt::CTRL | Qt::Key_0)})),
      pages(newPageActions(window)), keys(newAction(window, tr("&Keys"), {QKeySequence(Qt::Key_F1)}))
{
    theme->setToolTip(tr("Dark or light theme (T)"));
    useThisMachine->setEnabled(false);
    connect(quit, &QAction::triggered, &window, &QWidget::close);
}

QMenu *WindowActions::newMainMenu(QWidget &parent) const
{
    auto *menu = new QMenu(&parent);
    const QList<QList<QAction *>> groups{{open, save},
                                         pages,
                                         {undo, redo},
                                         {run, cancel, copyCommand},
                                         {connectRemote, useThisMachine},
                                         themes,
                                         {theme, larger, smaller, normalSize},
                                         {keys},
                                         {quit}};
    for (const QList<QAction *> &group : groups) {
        menu->addActions(group);
        menu->addSeparator();
    }
    return menu;
}

bool WindowActions::handlePlaybackKey(const QKeyEvent &event, Playback &playback)
{
    if (event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier))
        return false;
    switch (event.key()) {
    case Qt::Key_PageDown:
    case Qt::Key_Right:
    case Qt::Key_Space:
    case Qt::Key_N:
        playback.stepForward();
        return true;
    case Qt::Key_PageUp:
    case Qt::Key_Left:
    case Qt::Key_Backspace:
    case Qt::Key_P:
        playback.stepBack();
        return true;
    case Qt::Key_Home:
        goTo(playback, 0);
        return true;
    case Qt::Key_End:
        goTo(playback, playback.sceneCount());
        return true;
    case Qt::Key_K:
        playback.toggle();
        return true;
    case Qt::Key_BracketLeft:
        playback.setSpeed(playback.speed() / kSpeedStep);
        return true;
    case Qt::Key_BracketRight:
        playback.setSpeed(playback.speed() * kSpeedStep);
        return true;
    case Qt::Key_R:
        replay(playback);
        return true;
    default:
        return false;
    }
}

QVector<WindowActions::KeyLine> WindowActions::keyList()
{
    return {{tr("PageDown, Right, Space, N"), tr("Next step; the first press finishes a running animation")},
            {tr("PageUp, Left, Backspace, P"), tr("Previous step")},
            {tr("Home, End"), tr("First and last step")},
            {tr("G and a number"), tr("Go to that step")},
            {tr("Enter"), tr("Why this step: its derivation, on diagram, timeline and scrub bar; Esc closes it")},
            {tr("K"), tr("Play or pause")},
            {tr("[ and ]"), tr("Slower and faster")},
            {tr("R"), tr("Play the last step again")},
            {tr("Alt+1, Alt+2, …"), tr("The pages of the window")},
            {tr("T"), tr("Dark or light theme")},
            {tr("Ctrl+R, Esc"), tr("Run, cancel the run")},
            {tr("Ctrl+Z, Ctrl+Y"), tr("Undo and redo; one slider drag is one step")},
            {tr("Ctrl+E, Ctrl+C"), tr("Export a picture, copy the picture")},
            {tr("Ctrl+Shift+C"), tr("Copy as command line")},
            {tr("Ctrl+O, Ctrl+S"), tr("Open a run, save the run")},
            {tr("Ctrl+plus, Ctrl+minus, Ctrl+0"), tr("Larger, smaller, normal size")},
            {tr("Timeline: wheel or W and S"), tr("Zoom")},
            {tr("Timeline: drag or A and D"), tr("Pan")},
            {tr("Timeline: F"), tr("Fit the selection, then everything")},
            {tr("Timeline: , and ."), tr("Previous and next collective")},
            {tr("Timeline: < and >"), tr("Previous and next measured step")},
            {tr("Charts: Up and Down"), tr("The numbers behind each bar")},
            {tr("Tab, Shift+Tab, arrows"), tr("Reach and change every control")},
            {tr("F1"), tr("This list")}};
}

} // namespace shardscope
