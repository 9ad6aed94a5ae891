// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_queue.h"

#include "ui/remote/host_name.h"
#include "ui/texts.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr int kPublishMs = 120;
constexpr int kSilenceMs = 20000; ///< beyond the deadline of a collective
constexpr int kCancelMs = 3000;
constexpr int kFewestSteps = 3; ///< before that a median is no median

UserMessage::Level levelOf(MessageEvent::Level level)
{
    switch (level) {
    case MessageEvent::Level::Info:
        return UserMessage::Level::Info;
    case MessageEvent::Level::Warning:
        return UserMessage::Level::Warning;
    case MessageEvent::Level::Error:
        break;
    }
    return UserMessage::Level::Error;
}

} // namespace

Job measurementJob(const Experiment &experiment, int mostRanks)
{
    Experiment shape = experiment;
    shape.mesh.extents = {std::clamp(shape.ranks(), 2, mostRanks), 1, 1};
    return {shape, 0, true};
}

RunQueue::RunQueue(EngineLink &link, QObject *parent) : QObject(parent), m_link(link)
{
    m_publish.setSingleShot(true);
    m_publish.setInterval(kPublishMs);
    m_silence.setSingleShot(true);
    connect(&m_publish, &QTimer::timeout, this, &RunQueue::publish);
    connect(&m_silence, &QTimer::timeout, this, &RunQueue::engineSilent);
    connect(&m_link, &EngineLink::eventReceived, this, &RunQueue::onEvent);
}

bool RunQueue::onlyMeasures() const
{
    const bool active = !m_active || m_active->measure;
    return busy() && active &&
           std::all_of(m_waiting.begin(), m_waiting.end(), [](const Job &job) { return job.measure; });
}

double RunQueue::fraction() const
{
    if (m_total == 0)
        return -1;
    const auto left = static_cast<double>(m_waiting.size()) + (m_active ? 1.0 - m_jobFraction : 0.0);
    return 1.0 - left / static_cast<double>(m_total);
}

void RunQueue::start(const std::vector<Job> &jobs)
{
    m_waiting.assign(jobs.begin(), jobs.end());
    m_total = jobs.size();
    if (!m_active) {
        sendNext();
        return;
    }
    if (!m_cancelling && !m_waiting.empty() && m_waiting.front() == *m_active) {
        m_waiting.pop_front();
        return;
    }
    if (!m_cancelling) {
        m_cancelling = true;
        m_link.send(CancelCommand{});
        m_silence.start(kCancelMs);
    }
}

void RunQueue::add(const std::vector<Job> &jobs)
{
    for (const Job &job : jobs) {
        if ((m_active && !m_cancelling && *m_active == job) || std::ranges::find(m_waiting, job) != m_waiting.end())
            continue;
        m_waiting.push_back(job);
        ++m_total;
    }
    if (!m_active)
        sendNext();
}

void RunQueue::cancel()
{
    m_waiting.clear();
    if (!m_active || m_cancelling)
        return;
    m_cancelling = true;
    m_stage = tr("Cancelling");
    m_link.send(CancelCommand{});
    m_silence.start(kCancelMs);
    Q_EMIT progressed();
}

void RunQueue::abandon()
{
    m_waiting.clear();
    m_active.reset();
    m_run.reset();
    m_cancelling = false;
    m_total = 0;
    m_publish.stop();
    m_silence.stop();
}

QString RunQueue::describe(const Job &job) const
{
    if (job.measure)
        return m_link.remote().isEmpty() ? tr("Measuring this machine")
                                         : tr("Measuring %1").arg(hostName(m_link.remote()));
    const QString phase = QString::fromUtf8(name(job.experiment.phase).data());
    return tr("Running %1 on %2").arg(phase, counted(job.experiment.ranks(), tr("%1 rank|%1 ranks")));
}

void RunQueue::sendNext()
{
    m_cancelling = false;
    m_run.reset();
    m_active.reset();
    if (m_waiting.empty()) {
        m_silence.stop();
        return;
    }
    m_active = m_waiting.front();
    m_waiting.pop_front();
    m_activeId = "w" + std::to_string(m_nextId++);
    m_jobFraction = 0;
    m_stage = describe(*m_active);
    m_silence.start(kSilenceMs);
    const Experiment &experiment = m_active->experiment;
    m_measurement = {experiment.ranks(), experiment.dtype, {}, {}, {}};
    if (m_active->measure)
        m_link.send(MeasureCommand{m_activeId, experiment.ranks(), experiment.dtype, experiment.backend});
    else
        m_link.send(RunCommand{m_activeId, allOptions(experiment), m_active->budgetSeconds});
    Q_EMIT progressed();
}

void RunQueue::onEvent(const Event &event)
{
    if (!m_active)
        return;
    if (!m_cancelling)
        m_silence.start(kSilenceMs);
    if (const auto *run = std::get_if<RunEvent>(&event)) {
        onRun(*run);
    } else if (const auto *end = std::get_if<EndEvent>(&event)) {
        onEnd(*end);
        return;
    } else if (const auto *message = std::get_if<MessageEvent>(&event)) {
        onMessage(*message);
    } else if (const auto *progress = std::get_if<ProgressEvent>(&event)) {
        m_jobFraction = std::clamp(progress->fraction, m_jobFraction, 1.0);
        if (!m_cancelling && progress->stage.id != TextId::NoReason)
            m_stage = sentence(progress->stage);
        Q_EMIT progressed();
    } else if (const auto *bandwidth = std::get_if<BandwidthEvent>(&event)) {
        m_measurement.collectives.push_back(*bandwidth);
    } else if (const auto *compute = std::get_if<ComputeEvent>(&event)) {
        m_measurement.compute.push_back(*compute);
    }
    if (m_run) {
        m_run->append(event);
        if (std::holds_alternative<IterationEvent>(event) && !m_publish.isActive())
            m_publish.start();
    }
}

void RunQueue::onRun(const RunEvent &event)
{
    if (event.id != m_activeId)
        return;
    Expected<Run> begun = beginRun(event, m_link.hello() ? &*m_link.hello() : nullptr);
    if (begun)
        m_run = std::move(begun.value());
    else
        Q_EMIT messageReceived({UserMessage::Level::Error, sentence(begun.problem()), {}, {MessageAction::ShowLog}});
}

void RunQueue::onMessage(const MessageEvent &event)
{
    // A cancelled run's last words are no news.
    if (m_cancelling)
        return;
    UserMessage message{levelOf(event.level), sentence(event.text), sentence(event.remedy), {}};
    if (event.level == MessageEvent::Level::Error)
        message.actions = {MessageAction::ShowLog, MessageAction::UseSmallerSize, MessageAction::Run};
    Q_EMIT messageReceived(message);
}

void RunQueue::publish()
{
    if (m_run && m_active && (m_run->end || m_run->completeIterations() >= kFewestSteps))
        Q_EMIT runUpdated(m_active->experiment, std::make_shared<const Run>(*m_run));
}

void RunQueue::onEnd(const EndEvent &event)
{
    if (event.id != m_activeId)
        return;
    m_publish.stop();
    // A failed check is a result to show; any other failure has no numbers.
    const bool good = (event.status == EndEvent::Status::Done || event.exitCode == 3) && !m_cancelling;
    if (m_run) {
        m_run->append(event);
        if (good)
            publish();
    }
    const Job ended = *m_active;
    if (ended.measure && !m_cancelling) {
        if (m_link.hello())
            m_measurement.machine = m_link.hello()->machine;
        Q_EMIT machineMeasured(m_measurement);
    }
    const bool cancelled = m_cancelling || event.status == EndEvent::Status::Cancelled;
    // What follows a failure would fail the same way; a failed check still counts as a result.
    if (event.status == EndEvent::Status::Failed && event.exitCode != 3 && !ended.measure)
        m_waiting.clear();
    if (!cancelled && !ended.measure)
        Q_EMIT runEnded(ended.experiment, event.exitCode);
    sendNext();
    if (!m_active)
        finish(cancelled);
}

void RunQueue::finish(bool cancelled)
{
    m_total = 0;
    m_stage.clear();
    Q_EMIT finished(cancelled);
}

} // namespace shardscope
