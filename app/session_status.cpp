// SPDX-License-Identifier: GPL-3.0-or-later
// What the session says of itself: one status that the header bar shows.
#include "app/session.h"

#include <QDateTime>
#include <QLocale>

namespace shardscope {

namespace {

QDateTime startOf(const Run &run)
{
    return QDateTime::fromString(QString::fromStdString(run.startedAt), Qt::ISODate).toLocalTime();
}

} // namespace

void Session::updateStatus()
{
    m_status = currentStatus();
    Q_EMIT statusChanged();
}

RunStatus Session::currentStatus() const
{
    RunStatus status;
    status.canRun = m_permission.allowed && !(m_queue.busy() && !m_queue.onlyMeasures());
    status.whyNot = m_permission.why;
    status.honesty = honestyNote(experiment().ranks(), m_computer.cores);
    if (m_queue.busy()) {
        status.state = RunStatus::State::Running;
        status.fraction = m_queue.fraction();
        status.text = m_queue.stage();
        return status;
    }
    if (!m_results.measured.empty()) {
        const bool recorded = m_results.measured.begin()->second->source == Source::Recorded;
        status.state = m_results.stale ? RunStatus::State::Stale
                       : recorded      ? RunStatus::State::Recorded
                                       : RunStatus::State::Measured;
    }
    status.text = describeResults(status.state);
    // What cannot run here is said where it is always seen; of a prediction nothing shares a core.
    if (!m_permission.allowed || status.state == RunStatus::State::Predicted)
        status.honesty = m_permission.why.isEmpty() ? status.honesty : m_permission.why;
    return status;
}

QString Session::describeResults(RunStatus::State state) const
{
    switch (state) {
    case RunStatus::State::Stale:
        return tr("Measured for other settings");
    case RunStatus::State::Recorded:
        return tr("Recorded on %1")
            .arg(QLocale().toString(startOf(*m_results.measured.begin()->second), QLocale::ShortFormat));
    case RunStatus::State::Measured:
        return tr("%1, measured %2")
            .arg(ranksOnCores(experiment().ranks(), m_computer.cores),
                 startOf(*m_results.measured.begin()->second).toString(QStringLiteral("HH:mm")));
    case RunStatus::State::Predicted:
    case RunStatus::State::Running:
        break;
    }
    const Hardware &hardware = m_predictor.hardwareFor(experiment().dtype);
    const QString title = QString::fromStdString(hardware.title);
    return m_permission.allowed ? tr("Predicted for %1").arg(title) : tr("Predicted, not measured: %1").arg(title);
}

} // namespace shardscope
