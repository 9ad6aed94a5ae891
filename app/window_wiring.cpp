// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window_wiring.h"

#include "app/hardware_list.h"
#include "ui/message_bar.h"
#include "ui/pages/page_stack.h"
#include "ui/panels/experiment_panel.h"
#include "ui/panels/run_section.h"
#include "ui/window_actions.h"
#include "ui/workbench.h"

#include <QAction>
#include <QTimer>
#include <utility>

namespace shardscope {

namespace {

Experiment firstExperiment(const Arguments &arguments, const Settings &settings)
{
    return arguments.experiment ? *arguments.experiment : experimentFromSettings(settings.experiment);
}

} // namespace

WindowWiring::WindowWiring(const Arguments &arguments, AppStyle &style)
    : m_arguments(arguments), m_settings(Settings::load()), m_link(EngineLink::findProgram(arguments.engine)),
      m_monitor(m_link), m_session(firstExperiment(arguments, m_settings), m_link, Computer::thisOne()),
      m_window(style), m_exports(m_window, m_session, style), m_remote(m_window, m_session, m_link, m_settings)
{
    applySettings();
    connectSession();
    connectWindow();
    connectMachine();
    showExperiment();
    if (m_arguments.file.isEmpty())
        goToAskedStep();
    else
        connect(&m_exports, &WindowExports::opened, this, &WindowWiring::goToAskedStep);
}

/// Once: where the picture stands afterwards is the user's.
void WindowWiring::goToAskedStep()
{
    if (!m_session.plan()) { // a long one: it is still being built
        connect(&m_session, &Session::experimentChanged, this, &WindowWiring::goToAskedStep, Qt::SingleShotConnection);
        return;
    }
    const std::optional<int> step = std::exchange(m_arguments.step, std::nullopt);
    if (!step)
        return;
    m_window.pages().showPage(PageId::Workbench);
    m_window.workbench().goToStep(*step);
    const auto steps = static_cast<int>(m_session.plan()->steps.size());
    if (*step > steps)
        m_window.showMessage(
            {UserMessage::Level::Warning,
             tr("Step %1 was asked for; this plan has %2. The last one is shown.").arg(*step).arg(steps),
             {},
             {}});
}

void WindowWiring::applySettings()
{
    const QString theme = m_arguments.theme.isEmpty() ? m_settings.theme : m_arguments.theme;
    m_window.setLook({&Theme::byId(theme), m_settings.scale});
    m_window.restorePlace(m_settings.place);
    m_window.pages().restoreState(m_settings.pages);
    m_session.predictor().restoreThisMachine(m_settings.thisMachine.toStdString(), m_session.computer().cores);
    m_session.setAutoRun(m_settings.autoRun);
    // An experiment from the command line is that line's as a whole: what it does not name has its default.
    QString hardware = m_arguments.hardware;
    if (hardware.isEmpty() && !m_arguments.experiment)
        hardware = m_settings.hardware;
    if (!hardware.isEmpty())
        m_session.setHardware(hardware.toStdString());
    m_firstTheme = m_window.look().theme->id;
    m_firstHardware = QString::fromStdString(m_session.predictor().chosen());
    // The first frame is whole, unless it would have to wait for that.
    if (m_session.plan())
        m_session.predictNow();
    m_window.panel().setMostRanks(m_session.computer().mostRanks());
    m_window.panel().runSection().setAutoRun(m_settings.autoRun);
}

void WindowWiring::connectSession()
{
    connect(&m_session, &Session::experimentChanged, this, &WindowWiring::showExperiment);
    connect(&m_session, &Session::resultsChanged, this, [this] { m_window.setResults(m_session.results()); });
    connect(&m_session, &Session::runStored, this, [this] { m_window.pages().runsChanged(); });
    connect(&m_session, &Session::statusChanged, this, [this] { m_window.setStatus(m_session.status()); });
    connect(&m_session, &Session::messageRaised, &m_window, &MainWindow::showMessage);
    connect(&m_session, &Session::thisMachineChanged, this,
            [this](const std::string &json) { m_settings.thisMachine = QString::fromStdString(json); });
}

void WindowWiring::connectWindow()
{
    ExperimentPanel &panel = m_window.panel();
    connect(&panel, &ExperimentPanel::edited, &m_session, &Session::change);
    connect(&panel.runSection(), &RunSection::hardwareChosen, this,
            [this](const QString &id) { m_session.setHardware(id.toStdString()); });
    connect(&panel.runSection(), &RunSection::autoRunChanged, &m_session, &Session::setAutoRun);
    connect(&m_window, &MainWindow::runRequested, this, &WindowWiring::onRunRequested);
    connect(&m_window, &MainWindow::experimentChosen, this, &WindowWiring::showAndRun);
    connect(&m_window, &MainWindow::runsWanted, &m_session, &Session::runBeside);
    connect(&m_window, &MainWindow::cancelRequested, &m_session, &Session::cancel);
    connect(&m_window, &MainWindow::messageActionChosen, this, &WindowWiring::onMessageAction);
    connect(&m_window, &MainWindow::closing, this, &WindowWiring::saveSettings);
    connect(&m_window, &MainWindow::closing, &m_session, &Session::stopPredicting);
    connect(m_window.actions().undo, &QAction::triggered, &m_session, &Session::undo);
    connect(m_window.actions().redo, &QAction::triggered, &m_session, &Session::redo);
}

void WindowWiring::connectMachine()
{
    connect(&m_monitor, &MachineMonitor::changed, this, [this] { m_window.pages().setMachine(m_monitor.machine()); });
    connect(&m_session, &Session::machineChanged, this, [this] {
        m_monitor.follow();
        askMachine();
    });
    connect(&m_window.pages(), &PageStack::pageChanged, this, &WindowWiring::askMachine);
}

void WindowWiring::askMachine()
{
    if (m_window.pages().current() != PageId::Hardware)
        return;
    m_session.startEngine();
    m_monitor.follow();
}

void WindowWiring::showExperiment()
{
    m_window.setLookups(m_session.lookups());
    if (m_session.plan())
        m_window.setExperiment(m_session.experiment(), m_session.plan());
    else
        m_window.panel().setExperiment(m_session.experiment());
    // Which machine is predicted depends on the number format, too.
    m_window.panel().runSection().setHardware(
        hardwareList(m_session.predictor(), m_session.experiment().dtype, m_session.computer().name),
        QString::fromStdString(m_session.predictor().chosen()));
    m_window.setResults(m_session.results());
    m_window.setStatus(m_session.status());
    m_window.setUndoable(m_session.canUndo(), m_session.canRedo());
}

void WindowWiring::onRunRequested()
{
    m_window.messageBar().dismiss();
    const RunStatus &status = m_session.status();
    if (!status.canRun && !status.canMeasure && status.state != RunStatus::State::Running && !status.whyNot.isEmpty())
        m_window.showMessage({UserMessage::Level::Info, status.whyNot, {}, {}});
    m_session.runNow();
}

void WindowWiring::showAndRun(const Experiment &experiment)
{
    m_window.pages().showPage(PageId::Workbench);
    m_session.change(experiment, 0);
    onRunRequested();
}

void WindowWiring::onMessageAction(MessageAction action)
{
    if (action == MessageAction::ShowLog) {
        m_window.showLog(m_link.log());
        return;
    }
    m_window.messageBar().dismiss();
    switch (action) {
    case MessageAction::RestartEngine:
    case MessageAction::Retry:
        m_session.restartEngine();
        break;
    case MessageAction::UseThisMachine:
        m_session.useMachine({});
        break;
    case MessageAction::UseSmallerSize:
        m_session.useSmallerSize();
        break;
    case MessageAction::Run:
        onRunRequested();
        break;
    case MessageAction::OpenFile:
        m_window.actions().open->trigger();
        break;
    case MessageAction::ShowLog:
        break;
    }
}

void WindowWiring::start()
{
    m_window.show();
    // The engine loads LibTorch; the first frame must not wait for it.
    QTimer::singleShot(0, this, [this] {
        if (!m_arguments.remote.isEmpty())
            m_session.useMachine(m_arguments.remote);
        if (m_arguments.file.isEmpty())
            m_session.begin();
        else
            m_exports.openFile(m_arguments.file);
    });
}

void WindowWiring::saveSettings()
{
    // What the command line chose is for this once; what the user changed is kept.
    if (m_window.look().theme->id != m_firstTheme)
        m_settings.theme = m_window.look().theme->id;
    const QString hardware = QString::fromStdString(m_session.predictor().chosen());
    if (hardware != m_firstHardware)
        m_settings.hardware = hardware;
    m_settings.scale = m_window.look().unit;
    m_settings.autoRun = m_session.autoRun();
    m_settings.experiment = experimentToSettings(m_session.experiment());
    m_settings.hosts = m_remote.hosts();
    m_settings.place = m_window.savePlace();
    m_settings.pages = m_window.pages().saveState();
    m_settings.save();
}

} // namespace shardscope
