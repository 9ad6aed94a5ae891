// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"

#include "app/points.h"
#include "ui/texts.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>

namespace shardscope {

namespace {

constexpr int kRestMs = 400;
constexpr double kAutomaticBudgetSeconds = 2;
constexpr double kAskedBudgetSeconds = 10;
constexpr std::int64_t kSmallHidden = 1024;

/// Training, prefill, decode, the phase shown first, and N = 1 of it.
std::vector<Experiment> pointsOf(const Experiment &experiment)
{
    std::vector<Experiment> points{experiment};
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

Session::Session(Experiment first, EngineLink &link, const Computer &computer, QObject *parent)
    : QObject(parent), m_link(link), m_computer(computer), m_history(std::move(first)), m_queue(link)
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &Session::onRest);
    connect(&m_queue, &RunQueue::runUpdated, this, &Session::onRunUpdated);
    connect(&m_queue, &RunQueue::machineMeasured, this, &Session::onMachineMeasured);
    connect(&m_queue, &RunQueue::progressed, this, &Session::updateStatus);
    connect(&m_queue, &RunQueue::finished, this, &Session::onFinished);
    connect(&m_queue, &RunQueue::messageReceived, this, &Session::messageRaised);
    connect(&m_queue, &RunQueue::engineSilent, this, &Session::onEngineSilent);
    connect(&m_link, &EngineLink::engineEnded, this, &Session::onEngineEnded);
    predict();
    m_status = currentStatus();
}

void Session::begin()
{
    m_rest.start();
}

void Session::predict()
{
    // What can run here is drawn as it runs here: CPU ranks over Gloo, whatever machine is predicted beside it.
    m_permission = runPermission(experiment(), m_computer, m_predictor.stepSecondsHere(experiment(), m_computer.cores));
    const Transport predicted = m_predictor.hardwareFor(experiment().dtype).transport;
    const Transport drawn = m_permission.allowed ? Transport::Gloo : predicted;
    m_plan = std::make_shared<const Plan>(buildPlan(experiment(), drawn));
    Results predictions = m_predictor.predictAll(experiment());
    m_results.predicted = std::move(predictions.predicted);
    m_results.predictedOne = std::move(predictions.predictedOne);
}

void Session::takeKnownRuns()
{
    RunsByPhase known;
    for (const Phase phase : kPhases) {
        const auto point = inPhase(experiment(), phase);
        if (RunPtr run = point ? m_store.find(*point) : nullptr)
            known[phase] = std::move(run);
    }
    const auto one = onOneRank(experiment());
    RunPtr knownOne = one && experiment().ranks() > 1 ? m_store.find(*one) : nullptr;
    if (!known.empty()) {
        m_results.measured = std::move(known);
        m_results.measuredOne = std::move(knownOne);
        m_results.stale = false;
    } else if (m_permission.allowed) {
        m_results.stale = !m_results.measured.empty();
    } else {
        // What can never be measured here shall not stand beside the numbers of another setting.
        m_results.measured.clear();
        m_results.measuredOne = nullptr;
        m_results.stale = false;
    }
}

void Session::change(const Experiment &experiment, int gesture)
{
    if (experiment == this->experiment())
        return;
    m_history.push(experiment, gesture);
    showExperiment();
}

void Session::undo()
{
    if (!canUndo())
        return;
    m_history.undo();
    showExperiment();
}

void Session::redo()
{
    if (!canRedo())
        return;
    m_history.redo();
    showExperiment();
}

void Session::showExperiment()
{
    m_queue.cancel();
    predict();
    takeKnownRuns();
    m_rest.start();
    m_status = currentStatus();
    Q_EMIT experimentChanged();
    Q_EMIT statusChanged();
}

void Session::setAutoRun(bool on)
{
    m_autoRun = on;
    if (on)
        m_rest.start();
    updateStatus();
}

void Session::setHardware(const std::string &name)
{
    if (!m_predictor.choose(name))
        return;
    predict();
    m_rest.start();
    updateStatus();
    Q_EMIT experimentChanged();
}

void Session::onRest()
{
    if (m_queue.busy() && !m_queue.onlyMeasures())
        return;
    if (m_autoRun && m_permission.automatic)
        startRuns(false);
    else
        measureMachine();
}

void Session::runNow()
{
    m_rest.stop();
    if (m_permission.allowed)
        startRuns(true);
}

void Session::startRuns(bool again)
{
    std::vector<Job> jobs;
    for (Experiment &point : pointsOf(experiment())) {
        if (!again && m_store.find(point))
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
        jobs.insert(jobs.begin(), measurementJob());
    m_queue.start(jobs);
    updateStatus();
}

bool Session::wantsMeasurement() const
{
    const DType dtype = experiment().dtype;
    return m_predictor.chosen() == kThisMachine && !m_predictor.knowsThisMachine(dtype) &&
           !m_triedMeasuring.contains(dtype);
}

Job Session::measurementJob() const
{
    Experiment shape = experiment();
    shape.mesh.extents = {std::clamp(shape.ranks(), 2, m_computer.mostRanks()), 1, 1};
    return {shape, 0, true};
}

void Session::measureMachine()
{
    if (!wantsMeasurement() || m_queue.busy())
        return;
    m_queue.start({measurementJob()});
    updateStatus();
}

void Session::cancel()
{
    m_rest.stop();
    m_queue.cancel();
    updateStatus();
}

void Session::onRunUpdated(const Experiment &requested, const RunPtr &run)
{
    if (run->end)
        m_store.put(requested, run);
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
    if (m_results.stale) {
        m_results.measured.clear();
        m_results.measuredOne = nullptr;
        m_results.stale = false;
    }
    if (same(inPresentPhase))
        m_results.measured[requested.phase] = run;
    else
        m_results.measuredOne = run;
    Q_EMIT resultsChanged();
    updateStatus();
}

void Session::onMachineMeasured(const Measurement &measurement)
{
    m_triedMeasuring.insert(measurement.dtype);
    const auto problem = m_predictor.addMeasurement(measurement.collectives, measurement.compute, measurement.machine);
    if (problem) {
        Q_EMIT messageRaised({UserMessage::Level::Warning, sentence(*problem), {}, {MessageAction::ShowLog}});
        return;
    }
    Q_EMIT thisMachineChanged(toJson(*m_predictor.thisMachine()));
    predict();
    Q_EMIT experimentChanged();
}

void Session::onFinished(bool cancelled)
{
    if (!cancelled)
        measureMachine();
    updateStatus();
}

void Session::onEngineEnded(const QString &reason)
{
    m_queue.abandon();
    m_rest.stop();
    m_triedMeasuring.insert(experiment().dtype);
    Q_EMIT messageRaised({UserMessage::Level::Error,
                          reason,
                          tr("The last good results stay on screen."),
                          {MessageAction::RestartEngine, MessageAction::ShowLog}});
    updateStatus();
}

void Session::onEngineSilent()
{
    Q_EMIT messageRaised({UserMessage::Level::Error,
                          tr("The engine does not answer"),
                          tr("Restart it; results stay."),
                          {MessageAction::RestartEngine, MessageAction::ShowLog}});
}

void Session::restartEngine()
{
    m_queue.abandon();
    m_triedMeasuring.clear();
    m_link.restart();
    m_rest.start();
    updateStatus();
}

void Session::useSmallerSize()
{
    Experiment smaller = experiment();
    const double half = m_computer.availableBytes ? 0.5 * static_cast<double>(*m_computer.availableBytes) : 4e9;
    do {
        smaller.hidden = std::max<std::int64_t>(smaller.hidden / 2, 1);
        smaller.ffn = std::max<std::int64_t>(smaller.ffn / 2, 1);
    } while (smaller.hidden > kSmallHidden &&
             static_cast<double>(estimatedBytesPerRank(smaller)) * smaller.ranks() > half);
    if (!validate(smaller))
        change(smaller, 0);
}

void Session::showRecorded(std::vector<Run> runs, const QString &origin)
{
    if (runs.empty())
        return;
    // The first run's layer is shown, in every phase that the file has of it.
    m_queue.cancel();
    m_history.push(runs.front().experiment(), 0);
    m_rest.stop();
    predict();
    m_results.measured.clear();
    m_results.measuredOne = nullptr;
    m_results.stale = false;
    for (Run &run : runs) {
        const Experiment point = run.experiment();
        if (inPhase(experiment(), point.phase) == point)
            m_results.measured[point.phase] = std::make_shared<const Run>(std::move(run));
        else if (onOneRank(experiment()) == point)
            m_results.measuredOne = std::make_shared<const Run>(std::move(run));
    }
    m_status = currentStatus();
    Q_EMIT experimentChanged();
    Q_EMIT statusChanged();
    Q_EMIT messageRaised({UserMessage::Level::Info, tr("Showing recorded runs of %1.").arg(origin), {}, {}});
}

std::vector<Run> Session::measuredRuns() const
{
    std::vector<Run> runs;
    for (const auto &[phase, run] : m_results.measured)
        runs.push_back(*run);
    if (m_results.measuredOne)
        runs.push_back(*m_results.measuredOne);
    return runs;
}

} // namespace shardscope
