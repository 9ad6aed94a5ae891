// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"

#include "app/points.h"
#include "app/run_files.h"
#include "ui/panels/snap.h"

#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

constexpr int kRestMs = 400;
constexpr std::int64_t kSmallHidden = 1024;
constexpr std::size_t kMostOpened = 10000; ///< a file is shown whole
/// Layers times micro-batches times ranks of what is planned at once, in a few milliseconds: it is never seen to lag.
constexpr std::int64_t kQuick = 256;

bool isQuick(const Experiment &e)
{
    return e.layers * e.microBatches * e.ranks() <= kQuick;
}

} // namespace

Session::Session(Experiment first, EngineLink &link, const Computer &computer, QObject *parent)
    : QObject(parent), m_link(link), m_here(computer), m_computer(computer), m_history(std::move(first)),
      m_shown(m_history.current()), m_planner([this](const std::shared_ptr<const Plan> &plan) {
          m_plan = plan;
          announce();
      }),
      m_queue(link), m_opened(kMostOpened)
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &Session::onRest);
    connect(&m_forecaster, &Forecaster::answered, this, &Session::onForecast);
    connect(&m_queue, &RunQueue::runUpdated, this, &Session::onRunUpdated);
    connect(&m_queue, &RunQueue::machineMeasured, this, &Session::onMachineMeasured);
    connect(&m_queue, &RunQueue::progressed, this, &Session::updateStatus);
    connect(&m_queue, &RunQueue::finished, this, &Session::onFinished);
    connect(&m_queue, &RunQueue::messageReceived, this, &Session::messageRaised);
    connect(&m_queue, &RunQueue::engineSilent, this, &Session::onEngineSilent);
    connect(&m_link, &EngineLink::engineEnded, this, &Session::onEngineEnded);
    connect(&m_link, &EngineLink::helloReceived, this, &Session::onHello);
    connect(&m_link, &EngineLink::lineRejected, this, &Session::onLineRejected);
    replan();
    m_status = currentStatus();
}

void Session::begin()
{
    m_rest.start();
}

void Session::replan()
{
    // How long a step takes is known with the prediction; whether ranks can run at all is known now.
    m_forecast = {};
    m_permission = permissionFor(experiment());
    // What can run here is drawn as it runs here: CPU ranks over Gloo, whatever machine is predicted beside it.
    const Transport predicted = m_predictor.hardwareFor(experiment().dtype).transport;
    const Transport drawn = m_permission.allowed ? Transport::Gloo : predicted;
    const auto build = [asked = asRun(experiment()), drawn] {
        return std::make_shared<const Plan>(buildPlan(asked, drawn));
    };
    m_planner.forget();
    m_plan = isQuick(experiment()) ? build() : nullptr;
    if (!m_plan)
        m_planner.ask(build);
    m_results.predicted.clear();
    m_results.predictedOne = nullptr;
    m_results.pending = true;
    m_forecaster.ask(m_predictor, experiment(), std::max(1, m_computer.cores));
}

void Session::predictNow()
{
    m_planner.finish();
    if (!m_results.pending)
        return;
    m_forecaster.forget();
    onForecast(m_predictor.forecast(experiment(), std::max(1, m_computer.cores)));
}

void Session::onForecast(const Forecast &forecast)
{
    m_forecast = forecast;
    m_results.predicted = std::move(m_forecast.results.predicted);
    m_results.predictedOne = std::move(m_forecast.results.predictedOne);
    m_results.machine = std::move(m_forecast.results.machine);
    m_results.pending = false;
    m_permission = permissionFor(experiment());
    updateStatus();
    if (m_plan) // else they are shown with it
        Q_EMIT resultsChanged();
}

RunPermission Session::permissionFor(const Experiment &point) const
{
    const auto phase = m_forecast.stepSeconds.find(point.phase);
    const bool one = point.ranks() != experiment().ranks();
    const double seconds = one                                     ? m_forecast.oneRankStepSeconds
                           : phase != m_forecast.stepSeconds.end() ? phase->second
                                                                   : 0;
    return runPermission(point, m_computer, seconds);
}

bool Session::showsRecorded() const
{
    return !m_results.stale && !m_results.measured.empty() &&
           m_results.measured.begin()->second->source == Source::Recorded;
}

void Session::forgetMeasured()
{
    m_results.measured.clear();
    m_results.measuredOne = nullptr;
    m_results.stale = false;
}

void Session::takeKnownRuns()
{
    Results known = m_store.resultsFor(experiment());
    // Recorded elsewhere and measured here never stand in one comparison.
    if (known.measured.empty())
        known = m_opened.resultsFor(experiment());
    if (!known.measured.empty()) {
        m_results.measured = std::move(known.measured);
        m_results.measuredOne = std::move(known.measuredOne);
        m_results.stale = false;
    } else if (m_permission.allowed) {
        m_results.stale = !m_results.measured.empty();
    } else {
        // What can never be measured here shall not stand beside the numbers of another setting.
        forgetMeasured();
    }
}

/// The layer is the same, only another phase of it is looked at: N = 1 is shown of that phase.
void Session::takeOneRank()
{
    if (!m_results.stale)
        m_results.measuredOne = (showsRecorded() ? m_opened : m_store).resultsFor(experiment()).measuredOne;
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
    // Another phase of the same layer has the same runs: those on screen, and those in progress.
    const bool samePoints = sameLayer(std::exchange(m_shown, experiment()), experiment());
    if (!samePoints)
        m_queue.cancel();
    m_heldBack.clear();
    replan();
    samePoints ? takeOneRank() : takeKnownRuns();
    m_rest.start();
    m_status = currentStatus();
    announce();
}

void Session::announce()
{
    if (m_plan)
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
    replan();
    m_rest.start();
    m_status = currentStatus();
    announce();
}

void Session::cancel()
{
    m_rest.stop();
    if (m_link.connecting())
        cancelConnecting();
    m_queue.cancel();
    updateStatus();
}

void Session::useSmallerSize()
{
    Experiment smaller = experiment();
    const double half = m_computer.availableBytes ? 0.5 * static_cast<double>(*m_computer.availableBytes) : 4e9;
    const auto tooLarge = [&] { return static_cast<double>(estimatedBytesPerRank(smaller)) * smaller.ranks() > half; };
    do {
        if (smaller.hidden > kSmallHidden || (smaller.sequence == 1 && smaller.batch == 1)) {
            smaller.hidden = std::max<std::int64_t>(smaller.hidden / 2, 1);
            smaller.ffn = std::max<std::int64_t>(smaller.ffn / 2, 1);
        } else {
            std::int64_t &tokens = smaller.sequence > 1 ? smaller.sequence : smaller.batch;
            tokens /= 2;
        }
    } while (tooLarge() && smaller.hidden > 1);
    // N shares the inner size: half of it may need rounding.
    const Snapped snapped = snap(smaller);
    if (snapped.valid)
        change(snapped.experiment, 0);
}

void Session::showRecorded(std::vector<Run> runs, const QString &origin)
{
    if (runs.empty())
        return;
    // The first run's layer is shown, in every phase that the file has of it.
    const Experiment first = asAsked(runs.front().experiment());
    m_queue.cancel();
    m_pagesMeasure = false;
    m_opened.clear();
    int rejected = 0;
    for (Run &run : runs) {
        rejected += run.rejected;
        const Experiment point = asAsked(run.experiment());
        m_opened.put(point, std::make_shared<const Run>(std::move(run)));
    }
    m_history.push(first, 0);
    m_shown = experiment();
    m_heldBack.clear();
    replan();
    Results recorded = m_opened.resultsFor(experiment());
    m_results.measured = std::move(recorded.measured);
    m_results.measuredOne = std::move(recorded.measuredOne);
    m_results.stale = false;
    m_rest.start();
    m_status = currentStatus();
    announce();
    Q_EMIT messageRaised({UserMessage::Level::Info, tr("Showing recorded runs of %1.").arg(origin), {}, {}});
    m_saidFailed = false;
    reportFailedCheck();
    reportRejected(rejected);
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
