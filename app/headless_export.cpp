// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/headless_export.h"

#include "app/computer.h"
#include "app/points.h"
#include "app/run_files.h"
#include "app/settings.h"
#include "engine/plan/experiment_options.h"
#include "engine/record/exit_code.h"
#include "ui/export/picture_file.h"
#include "ui/pages/option_words.h"
#include "ui/pages/page.h"
#include "ui/pages/page_list.h"
#include "ui/remote/host_name.h"
#include "ui/run_words.h"
#include "ui/texts.h"
#include "ui/whole_file.h"

#include <QDir>
#include <QTextStream>
#include <algorithm>
#include <cstdio>

namespace shardscope {

namespace {

constexpr double kSceneSeconds = 1.5; ///< of the animation at speed 1: 1.2 s a scene and 0.3 s of pause
constexpr double kHair = 1e-6;

void printLine(const QString &line)
{
    QTextStream(stderr) << line << Qt::endl;
}

} // namespace

HeadlessExport::HeadlessExport(const Arguments &arguments, AppStyle &style)
    : m_arguments(arguments), m_style(style), m_experiment(arguments.experiment.value_or(Experiment{})),
      m_link(EngineLink::findProgram(arguments.engine)), m_queue(m_link)
{
    m_link.setRemote(arguments.remote);
    // What the window has measured of this machine is true here too.
    if (arguments.remote.isEmpty())
        m_predictor.restoreThisMachine(Settings::load().thisMachine.toStdString(), m_computer.cores);
    if (!arguments.hardware.isEmpty())
        m_predictor.choose(arguments.hardware.toStdString());
    connect(&m_queue, &RunQueue::runUpdated, this,
            [this](const Experiment &requested, const RunPtr &run) { m_store.put(requested, run); });
    connect(&m_queue, &RunQueue::progressed, this, [this] { m_progress.show(m_queue.stage(), m_queue.fraction()); });
    connect(&m_queue, &RunQueue::finished, this, &HeadlessExport::writePicture);
    connect(&m_queue, &RunQueue::runEnded, this, [this](const Experiment &requested, int exitCode) {
        // Among a page's points a mistake made on purpose is what the picture shows.
        const bool shown = m_page && exitCode == 3 && isBug(requested.scheme);
        if (exitCode != 0 && m_exitCode == 0 && !shown)
            m_exitCode = exitCode;
    });
    connect(&m_queue, &RunQueue::messageReceived, this, [this](const UserMessage &message) {
        if (message.level == UserMessage::Level::Error && m_failure.isEmpty())
            m_failure = message.text + (message.remedy.isEmpty() ? QString() : QStringLiteral("; ") + message.remedy);
    });
    connect(&m_queue, &RunQueue::machineMeasured, this, [this](const Measurement &measurement) {
        m_predictor.addMeasurement(measurement.collectives, measurement.compute, measurement.machine);
    });
    connect(&m_link, &EngineLink::engineEnded, this, &HeadlessExport::onEngineGone);
    connect(&m_queue, &RunQueue::engineSilent, this, [this] { onEngineGone(tr("The engine does not answer"), {}); });
}

HeadlessExport::~HeadlessExport() = default;

bool HeadlessExport::cancelled()
{
    if (!m_interrupted || !m_interrupted())
        return false;
    fail(kCancelled, tr("cancelled"));
    return true;
}

void HeadlessExport::onEngineGone(const QString &reason, const QString &remedy)
{
    if (cancelled())
        return;
    // A prediction needs no engine, only perhaps another machine's numbers; those were asked for by name.
    if (m_onlyPredicts && m_arguments.remote.isEmpty())
        writePicture();
    else
        fail(4, reason + QStringLiteral("; ") +
                    (remedy.isEmpty() ? tr("shardscope-engine doctor looks for the cause") : remedy));
}

void HeadlessExport::start()
{
    // Minutes of measuring are not for a picture that has no place.
    if (const QString problem = targetProblem(m_arguments.output); !problem.isEmpty()) {
        fail(2, problem);
        return;
    }
    const std::optional<PageId> page = pageOf(m_arguments.picture.view);
    if (page) {
        m_page.reset(pageInfo(*page).build());
        if (!m_arguments.page.empty())
            m_page->setOptions(wordsOf(m_arguments.page));
    }
    if (page && !pageInfo(*page).ofTheLayer)
        writePicture();
    else if (!m_arguments.file.isEmpty())
        openFile();
    else if (m_arguments.remote.isEmpty())
        startRuns();
    else
        connectFirst();
}

/// What can run there is known with its hello.
void HeadlessExport::connectFirst()
{
    connect(
        &m_link, &EngineLink::helloReceived, this,
        [this] {
            m_computer = Computer::of(*m_link.hello());
            startRuns();
        },
        Qt::SingleShotConnection);
    connect(&m_link, &EngineLink::lineRejected, this, [this](int, const Text &problem) {
        if (problem.id == TextId::StreamNewer)
            onEngineGone(tr("The stream from %1: %2").arg(hostName(m_link.remote()), sentence(problem)),
                         tr("Install the same version of Shardscope on both machines."));
    });
    m_link.connectNow();
}

void HeadlessExport::openFile()
{
    OpenedRuns opened = openRuns(m_arguments.file);
    if (!opened.problem.isEmpty()) {
        fail(2, opened.problem);
        return;
    }
    m_experiment = asAsked(opened.runs.front().experiment());
    m_store = RunStore(opened.runs.size());
    for (Run &run : opened.runs) {
        const Experiment point = asAsked(run.experiment());
        m_store.put(point, std::make_shared<const Run>(std::move(run)));
    }
    m_results = m_store.resultsFor(m_experiment);
    if (const QString problem = nothingToDraw(); !problem.isEmpty()) {
        fail(2, problem);
        return;
    }
    if (const QString problem = placeProblem(*newPlan()); !problem.isEmpty()) {
        fail(2, problem);
        return;
    }
    if (!opened.note.isEmpty())
        printLine(QStringLiteral("shardscope: ") + tr("%1; what is whole is drawn").arg(opened.note));
    else if (const QString missing = missingSteps(); !missing.isEmpty())
        printLine(QStringLiteral("shardscope: ") +
                  tr("%1: incomplete: %2").arg(QDir::toNativeSeparators(m_arguments.file), missing));
    writePicture();
}

double HeadlessExport::positionIn(const Plan &plan) const
{
    const double inside = m_arguments.atSeconds / kSceneSeconds;
    if (!m_arguments.step)
        return inside;
    const std::vector<Scene> scenes = sceneList(plan);
    // The end of a step is still that step.
    return firstSceneOf(scenes, *m_arguments.step - 1) + std::min(inside, scenesOfStep(scenes) - kHair);
}

/// Of the step that was asked for, else of all.
double HeadlessExport::scenesOfStep(const std::vector<Scene> &scenes) const
{
    const auto isAsked = [&](const Scene &scene) { return !m_arguments.step || scene.step == *m_arguments.step - 1; };
    return static_cast<double>(std::ranges::count_if(scenes, isAsked));
}

QString HeadlessExport::placeProblem(const Plan &plan) const
{
    const auto steps = static_cast<int>(plan.steps.size());
    if (m_arguments.step.value_or(1) > steps)
        return tr("--step %1: allowed: 1 to %2, the steps of this plan").arg(*m_arguments.step).arg(steps);
    const double seconds = kSceneSeconds * scenesOfStep(sceneList(plan));
    if (m_arguments.atSeconds <= seconds)
        return {};
    return (m_arguments.step ? tr("--at %1: allowed: 0 to %2, the seconds of that step")
                             : tr("--at %1: allowed: 0 to %2, the seconds of the whole animation"))
        .arg(m_arguments.atSeconds)
        .arg(seconds);
}

/// Diagram and derivation are of the plan; the rest is of times.
QString HeadlessExport::nothingToDraw() const
{
    if (m_arguments.picture.view == PictureView::Diagram || m_arguments.picture.view == PictureView::Derivation)
        return {};
    for (const auto &[phase, run] : m_results.measured) {
        if (run->completeIterations() > 0 &&
            (phase == m_experiment.phase || m_arguments.picture.view == PictureView::Comparison))
            return {};
    }
    return tr("%1: holds no whole timed step, so there is nothing to draw; allowed: --export diagram")
        .arg(QDir::toNativeSeparators(m_arguments.file));
}

QString HeadlessExport::missingSteps() const
{
    std::vector<const Run *> runs;
    for (const auto &[phase, run] : m_results.measured)
        runs.push_back(run.get());
    return partialNote(runs);
}

void HeadlessExport::startRuns()
{
    // As with a picture that has no place: not after minutes of measuring.
    if (const QString problem = placeProblem(*newPlan()); !problem.isEmpty()) {
        fail(2, problem);
        return;
    }
    std::vector<Job> jobs;
    const RunPermission allowed = runPermission(m_experiment, m_computer, 0);
    if (isPrediction(m_arguments)) {
        m_onlyPredicts = true;
        m_whyNot = tr("--hardware %1 asks for a prediction, so nothing was run").arg(m_arguments.hardware);
    } else if (allowed.allowed) {
        jobs = ownJobs();
    } else {
        // What this machine cannot run is predicted, and the footer says so.
        printLine(QStringLiteral("shardscope: ") + tr("predicted, not measured: %1").arg(allowed.why));
        m_onlyPredicts = true;
        m_whyNot = allowed.why;
    }
    for (const Job &job : pageJobs()) {
        if (jobs.empty() || runKey(job.experiment) != runKey(jobs.front().experiment))
            jobs.push_back(job);
    }
    const bool besidePredicted = contrasts() || m_arguments.picture.view == PictureView::Derivation;
    if ((besidePredicted || m_onlyPredicts) && m_predictor.lacksThisMachine(m_experiment.dtype))
        jobs.push_back(measurementJob(m_experiment, m_computer.mostRanks()));
    if (jobs.empty()) {
        writePicture();
        return;
    }
    m_progress.begin(static_cast<int>(jobs.size()), m_arguments.picture.view != PictureView::BugLab);
    m_queue.start(jobs);
}

QString HeadlessExport::refusalOf(const Experiment &point) const
{
    if (isPrediction(m_arguments))
        return m_whyNot;
    const RunPermission permission = runPermission(point, m_computer, 0);
    return permission.allowed ? QString() : permission.why;
}

bool HeadlessExport::contrasts() const
{
    const PictureView view = m_arguments.picture.view;
    return m_page || view == PictureView::Comparison || view == PictureView::Window;
}

std::vector<Job> HeadlessExport::ownJobs() const
{
    std::vector<Job> jobs{{asRun(m_experiment), 0, false}};
    // A page names by itself what it contrasts.
    if (!contrasts() || m_page)
        return jobs;
    for (const Phase phase : kPhases) {
        const auto point = inPhase(m_experiment, phase);
        if (point && phase != m_experiment.phase)
            jobs.push_back({*point, 0, false});
    }
    if (const auto one = onOneRank(m_experiment); one && m_experiment.ranks() > 1)
        jobs.push_back({*one, 0, false});
    return jobs;
}

std::vector<Job> HeadlessExport::pageJobs()
{
    std::vector<Job> jobs;
    if (!m_page)
        return jobs;
    m_page->setInput({m_experiment, newPlan(), {}, lookups()});
    for (const Experiment &point : m_page->wantedRuns()) {
        if (refusalOf(point).isEmpty())
            jobs.push_back({point, kBesideBudgetSeconds, false});
    }
    return jobs;
}

void HeadlessExport::writePicture()
{
    if (m_done || cancelled())
        return;
    m_progress.clear();
    if (m_exitCode == 4 || m_exitCode == 2) {
        fail(m_exitCode, m_failure.isEmpty() ? tr("the run failed") : m_failure);
        return;
    }
    AppStyle::apply(m_style, {m_arguments.picture.theme, 1});
    const PictureFormat format = *pictureFormatOf(m_arguments.output);
    const QByteArray bytes = format == PictureFormat::Png ? encodePng(pictureImage(content(), m_arguments.picture))
                                                          : encodeVector(content(), m_arguments.picture, format);
    if (const QString problem = writeWholeFile(m_arguments.output, bytes); !problem.isEmpty()) {
        fail(bytes.isEmpty() ? 2 : 4, problem);
        return;
    }
    if (m_exitCode == 3)
        printLine(QStringLiteral("shardscope: ") + tr("a numeric check failed or the collectives differ from the plan; "
                                                      "the picture is written"));
    m_done = true;
    Q_EMIT finished(m_exitCode);
}

void HeadlessExport::fail(int exitCode, const QString &line)
{
    if (m_done)
        return;
    m_done = true;
    m_progress.clear();
    printLine(QStringLiteral("shardscope: ") + line);
    Q_EMIT finished(exitCode);
}

} // namespace shardscope
