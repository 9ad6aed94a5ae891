// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/engine_link.h"
#include "ui/results.h"
#include "ui/user_message.h"

#include <QObject>
#include <QTimer>
#include <deque>
#include <optional>
#include <vector>

namespace shardscope {

/// What the engine found out about this machine.
struct Measurement {
    int ranks = 0;
    DType dtype = DType::F32;
    std::vector<BandwidthEvent> collectives;
    std::vector<ComputeEvent> compute;
    Machine machine;
};

/// One piece of work for the engine.
struct Job {
    Experiment experiment;
    double budgetSeconds = 0;
    bool measure = false; ///< measures this machine with the experiment's ranks and dtype, runs nothing
    bool operator==(const Job &) const = default;
};

/// Of each of the many points that a page shows.
inline constexpr double kBesideBudgetSeconds = 3;

/// Measures this machine with as many of the experiment's ranks as run here, in its dtype.
[[nodiscard]] Job measurementJob(const Experiment &experiment, int mostRanks);

/// Gives the engine one job after the other and builds runs from what it answers.
class RunQueue : public QObject
{
    Q_OBJECT
public:
    explicit RunQueue(EngineLink &link, QObject *parent = nullptr);

    /// Replaces what waits and cancels what runs, unless the same job runs already.
    void start(const std::vector<Job> &jobs);
    /// Behind what waits, each once.
    void add(const std::vector<Job> &jobs);
    void cancel();
    /// Forgets everything, because the engine is gone or will be.
    void abandon();

    [[nodiscard]] bool busy() const { return m_active.has_value() || !m_waiting.empty(); }
    /// Only measuring this machine: work that nobody asked for.
    [[nodiscard]] bool onlyMeasures() const;
    [[nodiscard]] double fraction() const;
    /// What the engine is doing, one clause.
    [[nodiscard]] const QString &stage() const { return m_stage; }

Q_SIGNALS:
    /// A run has at least three timed steps, has more, or has ended; `requested` is the job's experiment.
    void runUpdated(const shardscope::Experiment &requested, const shardscope::RunPtr &run);
    void machineMeasured(const shardscope::Measurement &measurement);
    void progressed();
    void messageReceived(const shardscope::UserMessage &message);
    /// One run, no measurement of the machine, ended with this exit code of the contract.
    void runEnded(const shardscope::Experiment &requested, int exitCode);
    /// The last job has ended, or all were cancelled.
    void finished(bool cancelled);
    /// The engine has said nothing for a long time.
    void engineSilent();

private:
    void sendNext();
    void onEvent(const Event &event);
    void onRun(const RunEvent &event);
    void onEnd(const EndEvent &event);
    void onMessage(const MessageEvent &event);
    void publish();
    void finish(bool cancelled);
    [[nodiscard]] QString describe(const Job &job) const;

    EngineLink &m_link;
    std::deque<Job> m_waiting;
    std::optional<Job> m_active;
    std::string m_activeId;
    bool m_cancelling = false;
    int m_nextId = 1;
    std::size_t m_total = 0;
    double m_jobFraction = 0;
    QString m_stage;
    std::optional<Run> m_run;
    Measurement m_measurement;
    QTimer m_publish; ///< coalesces updates; started only if idle
    QTimer m_silence;
};

} // namespace shardscope
