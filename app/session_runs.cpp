// SPDX-License-Identifier: GPL-3.0-or-later
// What the session asks of the engine, and what it makes of the answers.
#include "app/points.h"
#include "app/run_files.h"
#include "app/session.h"
#include "ui/texts.h"

#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

constexpr double kAutomaticBudgetSeconds = 2;
constexpr double kAskedBudgetSeconds = 10;

/// Training, prefill, decode, the phase shown first, and N = 1 of it.
std::vector<Experiment> pointsOf(const Experiment &experiment)
{
    std::vector<Experiment> points{asRun(experiment)};
    for (const Phase phase : kPhases) {
        if (phase == experiment.phase)
            continue;
        if (const auto point = inPhase(experiment, phase))
            points.push_back(*point);
    }
    if (const auto one = onOneRank(experiment); one && experiment.ranks() > 1)
        points.push_back(*one);
    return points;
}

} // namespace

void Session::onRest()
{
    // Another machine's hello says what it can run; then it goes on.
    if (m_engineGone || !m_link.ready())
        return;
    if (m_results.pending) {
        // Whether a step is short enough to run by itself is part of the prediction.
        m_rest.start();
        return;
    }
    if (m_queue.busy() && !m_queue.onlyMeasures()) {
        m_restAgain = true;
        return;
    }
    if (m_autoRun && m_permission.automatic && !showsRecorded())
        startRuns(false);
    else
        measureMachine();
}

void Session::runNow()
{
    m_rest.stop();
    m_engineGone = false;
    if (!isReady([this] { runNow(); }))
        return;
    // Whoever asks may try again what failed before.
    m_triedMeasuring.erase(experiment().dtype);
    if (m_permission.allowed)
        startRuns(true);
    else
        measureMachine();
}

void Session::runBeside(const std::vector<Experiment> &points)
{
    if (!isReady([this, points] { runBeside(points); }))
        return;
    std::vector<Job> jobs;
    QString refused;
    for (const Experiment &point : points) {
        const RunPermission permission = runPermission(point, m_computer, 0);
        if (permission.allowed)
            jobs.push_back({point, kBesideBudgetSeconds, false});
        else
            refused = permission.why;
    }
    if (!refused.isEmpty()) {
        const QString text = jobs.empty() ? tr("Predicted, not measured: %1").arg(refused)
                                          : tr("What cannot run here stays predicted: %1").arg(refused);
        Q_EMIT messageRaised({UserMessage::Level::Info, text, {}, {}});
    }
    if (jobs.empty())
        return;
    m_engineGone = false;
    m_pagesMeasure = true;
    m_queue.add(jobs);
    updateStatus();
}

void Session::stopPredicting()
{
    if (m_predictions)
        m_predictions->close();
}

RunLookups Session::lookups()
{
    if (!m_predictions || !m_predictions->isOf(m_predictor))
        m_predictions = std::make_shared<PredictionCache>(m_predictor);
    // Recorded elsewhere and measured here never stand in one comparison.
    return {[this](const Experiment &point) {
                return (showsRecorded() && !m_pagesMeasure ? m_opened : m_store).find(point);
            },
            [cache = m_predictions](const Experiment &point) { return cache->predict(point); },
            [this](const Experiment &point) { return runPermission(point, m_computer, 0).why; },
            m_predictor.hardwareFor(experiment().dtype),
            m_computer.name,
            m_predictor.thisMachine()};
}

/// Each point is judged by itself: beside a short decode pass the training step may take minutes.
bool Session::holdsBack(const Experiment &point, bool again)
{
    const RunPermission permission = permissionFor(point);
    if (again ? permission.allowed : permission.automatic)
        return false;
    if (m_heldBack.isEmpty()) {
        const bool one = point.ranks() != experiment().ranks();
        const QString what = one ? tr("N = 1") : QString::fromUtf8(name(point.phase).data());
        m_heldBack = tr("%1 is predicted. %2").arg(what, permission.why);
    }
    return true;
}

void Session::startRuns(bool again)
{
    m_heldBack.clear();
    m_saidFailed = false;
    m_pagesMeasure = false;
    std::vector<Job> jobs;
    for (Experiment &point : pointsOf(experiment())) {
        if (!again && m_store.find(point))
            continue;
        if (holdsBack(point, again))
            continue;
        if (!again)
            point.warmup = 1;
        jobs.push_back({point, again ? kAskedBudgetSeconds : kAutomaticBudgetSeconds, false});
    }
    if (jobs.empty()) {
        measureMachine();
        return;
    }
    // Known first, this machine is what the first bars are compared with, and not some GPU.
    if (wantsMeasurement())
        jobs.insert(jobs.begin(), measurementJob(experiment(), m_computer.mostRanks()));
    m_queue.start(jobs);
    updateStatus();
}

bool Session::wantsMeasurement() const
{
    const DType dtype = experiment().dtype;
    return m_predictor.lacksThisMachine(dtype) && !m_triedMeasuring.contains(dtype);
}

void Session::measureMachine()
{
    if (!wantsMeasurement() || m_queue.busy())
        return;
    m_queue.start({measurementJob(experiment(), m_computer.mostRanks())});
    updateStatus();
}

void Session::onRunUpdated(const Experiment &requested, const RunPtr &run)
{
    if (run->end) {
        m_store.put(requested, run);
        reportRejected(run->rejected);
        Q_EMIT runStored();
    }
    const auto inPresentPhase = inPhase(experiment(), requested.phase);
    const auto one = onOneRank(experiment());
    const auto same = [&](const std::optional<Experiment> &point) {
        if (!point)
            return false;
        Experiment other = requested;
        other.warmup = point->warmup;
        return other == *point;
    };
    if (!same(inPresentPhase) && !same(one))
        return;
    // What a page has measured does not take a file's place in the workbench.
    if (showsRecorded() && m_pagesMeasure)
        return;
    if (m_results.stale || showsRecorded())
        forgetMeasured();
    if (same(inPresentPhase))
        m_results.measured[requested.phase] = run;
    else
        m_results.measuredOne = run;
    if (m_plan)
        Q_EMIT resultsChanged();
    updateStatus();
    if (run->end)
        reportFailedCheck();
}

void Session::onMachineMeasured(const Measurement &measurement)
{
    m_triedMeasuring.insert(measurement.dtype);
    const auto problem = m_predictor.addMeasurement(measurement.collectives, measurement.compute, measurement.machine);
    if (problem) {
        Q_EMIT messageRaised({UserMessage::Level::Warning, sentence(*problem), {}, {MessageAction::ShowLog}});
        return;
    }
    if (remote().isEmpty()) // the other's numbers are measured anew whenever it is used
        Q_EMIT thisMachineChanged(toJson(*m_predictor.thisMachine()));
    replan();
    announce();
}

void Session::onLineRejected(int line, const Text &problem)
{
    // A newer engine's stream is refused as a whole; of any other the rest is read on.
    const bool newer = problem.id == TextId::StreamNewer;
    if (newer) {
        m_queue.abandon();
        m_rest.stop();
        m_engineGone = true;
        m_link.stop();
    }
    if (!std::exchange(m_saidUnreadable, true))
        Q_EMIT messageRaised(
            {newer ? UserMessage::Level::Error : UserMessage::Level::Warning, streamProblem(line, problem),
             !newer               ? tr("The rest is shown; run again when numbers are missing.")
             : remote().isEmpty() ? tr("Use the engine that belongs to this program; --engine names one.")
                                  : tr("Install the same version of Shardscope on both machines."),
             startAgainActions()});
    updateStatus();
}

void Session::reportRejected(int rejected)
{
    if (rejected > 0)
        Q_EMIT messageRaised({UserMessage::Level::Warning,
                              rejectedNote(rejected),
                              tr("The numbers are those of the rest; run again."),
                              {MessageAction::Run, MessageAction::ShowLog}});
}

void Session::onFinished(bool cancelled)
{
    if (!cancelled)
        measureMachine();
    if (std::exchange(m_restAgain, false) && !cancelled)
        m_rest.start();
    updateStatus();
}

void Session::onEngineEnded(const QString &reason, const QString &remedy)
{
    m_queue.abandon();
    m_rest.stop();
    m_engineGone = true;
    m_restAgain = false;
    m_afterHello = nullptr;
    m_triedMeasuring.insert(experiment().dtype);
    Q_EMIT messageRaised({UserMessage::Level::Error, reason,
                          remedy.isEmpty() ? tr("The last good results stay on screen.") : remedy,
                          startAgainActions()});
    updateStatus();
}

void Session::onEngineSilent()
{
    const bool here = remote().isEmpty();
    Q_EMIT messageRaised(
        {UserMessage::Level::Error,
         here ? tr("The engine does not answer") : tr("The engine on %1 does not answer").arg(m_computer.name),
         here ? tr("Restart it; results stay.") : tr("Retry connects again; results stay."), startAgainActions()});
}

void Session::restartEngine()
{
    m_queue.abandon();
    m_triedMeasuring.clear();
    m_engineGone = false;
    m_saidUnreadable = false;
    m_link.restart();
    m_rest.start();
    updateStatus();
}

} // namespace shardscope
