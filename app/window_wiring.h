// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/arguments.h"
#include "app/engine_link.h"
#include "app/machine_monitor.h"
#include "app/remote_wiring.h"
#include "app/session.h"
#include "app/settings.h"
#include "app/window_exports.h"
#include "ui/app_style.h"
#include "ui/main_window.h"

#include <QObject>

namespace shardscope {

/// Joins window, session, engine and settings: the only place that knows all four.
class WindowWiring : public QObject
{
    Q_OBJECT
public:
    WindowWiring(const Arguments &arguments, AppStyle &style);

    /// Shows the window; measuring starts after the first frame.
    void start();
    [[nodiscard]] MainWindow &window() { return m_window; }
    [[nodiscard]] Session &session() { return m_session; }
    [[nodiscard]] EngineLink &link() { return m_link; }
    [[nodiscard]] MachineMonitor &monitor() { return m_monitor; }

private:
    void applySettings();
    void connectSession();
    void connectWindow();
    void connectMachine();
    /// The page about the machine has an engine to ask.
    void askMachine();
    void showExperiment();
    /// The step that the command line named.
    void goToAskedStep();
    void onMessageAction(MessageAction action);
    void onRunRequested();
    /// A page's layer becomes the workbench's.
    void showAndRun(const Experiment &experiment);
    void saveSettings();

    Arguments m_arguments;
    Settings m_settings;
    QString m_firstTheme; ///< as the window opened: kept, or the command line's
    QString m_firstHardware;
    EngineLink m_link;
    MachineMonitor m_monitor;
    Session m_session;
    MainWindow m_window;
    WindowExports m_exports;
    RemoteWiring m_remote;
};

} // namespace shardscope
