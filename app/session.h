// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/computer.h"
#include "app/history.h"
#include "app/predictor.h"
#include "app/run_queue.h"
#include "app/run_store.h"
#include "ui/results.h"
#include "ui/run_status.h"
#include "ui/user_message.h"

#include <QObject>
#include <QTimer>
#include <set>

namespace shardscope {

/// What the window works on: the experiment with its history, its plan and prediction at once, and the runs that the
/// engine measures when the settings rest. Knows no widget.
class Session : public QObject
{
    Q_OBJECT
public:
    Session(Experiment first, EngineLink &link, const Computer &computer, QObject *parent = nullptr);

    [[nodiscard]] const Experiment &experiment() const { return m_history.current(); }
    [[nodiscard]] const std::shared_ptr<const Plan> &plan() const { return m_plan; }
    [[nodiscard]] const Results &results() const { return m_results; }
    [[nodiscard]] const RunStatus &status() const { return m_status; }
    [[nodiscard]] Predictor &predictor() { return m_predictor; }
    [[nodiscard]] const Computer &computer() const { return m_computer; }
    [[nodiscard]] bool autoRun() const { return m_autoRun; }
    [[nodiscard]] bool canUndo() const { return m_history.canUndo(); }
    [[nodiscard]] bool canRedo() const { return m_history.canRedo(); }
    /// Everything measured for the settings shown, for saving.
    [[nodiscard]] std::vector<Run> measuredRuns() const;

    /// Takes a valid experiment; one gesture is one undo step.
    void change(const Experiment &experiment, int gesture);
    void undo();
    void redo();
    void setAutoRun(bool on);
    /// "this" or a preset.
    void setHardware(const std::string &name);
    void runNow();
    void cancel();
    void restartEngine();
    /// Halves the layer until it fits into half of the free memory.
    void useSmallerSize();
    /// Shows recorded runs; `origin` names the file.
    void showRecorded(std::vector<Run> runs, const QString &origin);
    /// Starts the first measurements; called after the first paint.
    void begin();

Q_SIGNALS:
    /// Experiment, plan, results or undo state changed: everything is to be shown again.
    void experimentChanged();
    void resultsChanged();
    void statusChanged();
    void messageRaised(const shardscope::UserMessage &message);
    /// `this` machine was measured; its numbers in the form of a preset.
    void thisMachineChanged(const std::string &json);

private:
    void showExperiment();
    void predict();
    void takeKnownRuns();
    void onRest();
    void startRuns(bool again);
    void measureMachine();
    [[nodiscard]] bool wantsMeasurement() const;
    [[nodiscard]] Job measurementJob() const;
    void onRunUpdated(const Experiment &requested, const RunPtr &run);
    void onMachineMeasured(const Measurement &measurement);
    void onFinished(bool cancelled);
    void onEngineEnded(const QString &reason);
    void onEngineSilent();
    void updateStatus();
    [[nodiscard]] RunStatus currentStatus() const;
    [[nodiscard]] QString describeResults(RunStatus::State state) const;

    EngineLink &m_link;
    Computer m_computer;
    History m_history;
    Predictor m_predictor;
    RunQueue m_queue;
    RunStore m_store;
    std::shared_ptr<const Plan> m_plan;
    Results m_results;
    RunPermission m_permission; ///< of the experiment shown
    RunStatus m_status;
    bool m_autoRun = true;
    std::set<DType> m_triedMeasuring; ///< so that a failing measurement is not repeated for ever
    QTimer m_rest;
};

} // namespace shardscope
