// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/computer.h"
#include "app/forecaster.h"
#include "app/history.h"
#include "app/prediction_cache.h"
#include "app/predictor.h"
#include "app/run_queue.h"
#include "app/run_store.h"
#include "ui/newest_answer.h"
#include "ui/results.h"
#include "ui/run_lookups.h"
#include "ui/run_status.h"
#include "ui/user_message.h"

#include <QObject>
#include <QTimer>
#include <functional>
#include <set>

namespace shardscope {

/// What the window works on: the experiment with its history, its plan and prediction as soon as they are made,
/// and the runs that the engine measures when the settings rest. Knows no widget.
class Session : public QObject
{
    Q_OBJECT
public:
    Session(Experiment first, EngineLink &link, const Computer &computer, QObject *parent = nullptr);

    [[nodiscard]] const Experiment &experiment() const { return m_history.current(); }
    /// Null while a large one is being built, outside the GUI thread: experimentChanged follows.
    [[nodiscard]] const std::shared_ptr<const Plan> &plan() const { return m_plan; }
    [[nodiscard]] const Results &results() const { return m_results; }
    [[nodiscard]] const RunStatus &status() const { return m_status; }
    [[nodiscard]] Predictor &predictor() { return m_predictor; }
    /// The machine that runs the ranks, as far as it is known.
    [[nodiscard]] const Computer &computer() const { return m_computer; }
    /// Of another machine [USER@]HOST; empty: this one.
    [[nodiscard]] const QString &remote() const { return m_link.remote(); }
    [[nodiscard]] bool autoRun() const { return m_autoRun; }
    [[nodiscard]] bool canUndo() const { return m_history.canUndo(); }
    [[nodiscard]] bool canRedo() const { return m_history.canRedo(); }
    /// Everything measured that is on screen, for saving; stale runs carry their own settings.
    [[nodiscard]] std::vector<Run> measuredRuns() const;

    /// Takes a valid experiment; one gesture is one undo step.
    void change(const Experiment &experiment, int gesture);
    void undo();
    void redo();
    void setAutoRun(bool on);
    /// "this" or a preset.
    void setHardware(const std::string &name);
    void runNow();
    /// Measures these too, behind what runs, and shows none of them: pages find them by `lookups`. What cannot run here
    /// is left out, and a message says why.
    void runBeside(const std::vector<Experiment> &points);
    /// What pages ask of other experiments than the one shown.
    [[nodiscard]] RunLookups lookups();
    /// The window closes: no page waits for a prediction any more.
    void stopPredicting();
    void cancel();
    void restartEngine();
    /// Starts this machine's engine where none runs, for what it says of the machine. One that ended by itself stays
    /// ended until the user wants it, and another machine's is started by useMachine() alone.
    void startEngine();
    /// Ranks run on another machine from now on, or, with an empty address, on this one. What the other one measured
    /// goes: numbers of two machines never stand in one comparison.
    void useMachine(const QString &address);
    /// Halves the layer, then its tokens, until all ranks fit into half of the free memory.
    void useSmallerSize();
    /// Makes a pending plan and prediction here and now: for what leaves the window and must be whole.
    void predictNow();
    /// Shows recorded runs; `origin` names the file.
    void showRecorded(std::vector<Run> runs, const QString &origin);
    /// Starts the first measurements; called after the first paint.
    void begin();

Q_SIGNALS:
    /// Experiment, plan, results or undo state changed: everything is to be shown again. The prediction may be pending;
    /// resultsChanged follows when it is there.
    void experimentChanged();
    void resultsChanged();
    void statusChanged();
    /// A run has ended and is found by `lookups`.
    void runStored();
    void messageRaised(const shardscope::UserMessage &message);
    /// `this` machine was measured; its numbers in the form of a preset.
    void thisMachineChanged(const std::string &json);
    /// Another machine is used, or has been reached.
    void machineChanged();

private:
    void showExperiment();
    /// Says that everything is to be shown again, as soon as there is a plan to show.
    void announce();
    void replan();
    void onForecast(const Forecast &forecast);
    [[nodiscard]] RunPermission permissionFor(const Experiment &point) const;
    void takeKnownRuns();
    void takeOneRank();
    [[nodiscard]] bool showsRecorded() const;
    void forgetMeasured();
    void onRest();
    void startRuns(bool again);
    [[nodiscard]] bool holdsBack(const Experiment &point, bool again);
    void measureMachine();
    [[nodiscard]] bool wantsMeasurement() const;
    void onRunUpdated(const Experiment &requested, const RunPtr &run);
    void onMachineMeasured(const Measurement &measurement);
    void onFinished(bool cancelled);
    void onEngineEnded(const QString &reason, const QString &remedy);
    void onEngineSilent();
    void onHello();
    /// Whether the engine takes commands; else it is connected to and `then` follows its hello.
    [[nodiscard]] bool isReady(std::function<void()> then);
    void onRemoteHello(const HelloEvent &hello);
    void reportVersion(const HelloEvent &hello);
    void cancelConnecting();
    /// What a message offers when the engine has to be started again.
    [[nodiscard]] QVector<MessageAction> startAgainActions() const;
    [[nodiscard]] QString streamProblem(int line, const Text &problem) const;
    void onLineRejected(int line, const Text &problem);
    void reportRejected(int rejected);
    void updateStatus();
    [[nodiscard]] RunStatus currentStatus() const;
    /// Of the measured runs on screen; none of other settings.
    [[nodiscard]] const CheckVerdict &verdict() const;
    /// Says once per start and file that a check failed.
    void reportFailedCheck();
    [[nodiscard]] QString missingOf(bool withPhases) const;
    [[nodiscard]] bool isIncomplete() const;
    [[nodiscard]] QString honestyOf(RunStatus::State state) const;
    [[nodiscard]] QString describeResults(RunStatus::State state) const;

    EngineLink &m_link;
    const Computer m_here;
    Computer m_computer;
    Predictor m_predictorHere; ///< while another machine is used
    std::function<void()> m_afterHello;
    History m_history;
    Experiment m_shown; ///< by the views, before the change that is being made
    Predictor m_predictor;
    std::shared_ptr<PredictionCache> m_predictions;      ///< of pages, for the machine that they were made for
    NewestAnswer<std::shared_ptr<const Plan>> m_planner; ///< of large plans
    Forecaster m_forecaster;
    Forecast m_forecast; ///< of the experiment shown; without its results, which are in m_results
    RunQueue m_queue;
    RunStore m_store;
    RunStore m_opened; ///< what the last opened file holds
    std::shared_ptr<const Plan> m_plan;
    Results m_results;
    RunPermission m_permission; ///< of the experiment shown
    RunStatus m_status;
    mutable std::vector<RunPtr> m_judged; ///< by m_verdict: progress is shown more often than runs change
    mutable CheckVerdict m_verdict;
    bool m_saidFailed = false;
    bool m_autoRun = true;
    std::set<DType> m_triedMeasuring; ///< so that a failing measurement is not repeated for ever
    QString m_heldBack;               ///< why a phase is predicted while the others are measured
    bool m_engineGone = false;        ///< it ended by itself: only the user starts it again
    bool m_saidUnreadable = false;    ///< one bad line of the stream is news, the next are not
    bool m_restAgain = false;         ///< the settings rested while ranks ran for them
    bool m_pagesMeasure = false;      ///< pages show what is measured here, though the workbench shows a file
    QTimer m_rest;
};

} // namespace shardscope
