// SPDX-License-Identifier: GPL-3.0-or-later
// What the session says of itself: one status that the header bar shows.
#include "app/run_files.h"
#include "app/session.h"

#include <QDateTime>

namespace shardscope {

namespace {

/// "14:32", local time.
QString timeOf(const Run &run)
{
    return QDateTime::fromString(QString::fromStdString(run.startedAt), Qt::ISODate)
        .toLocalTime()
        .toString(QStringLiteral("HH:mm"));
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
    if (!m_results.measured.empty())
        status.state = m_results.stale   ? RunStatus::State::Stale
                       : showsRecorded() ? RunStatus::State::Recorded
                                         : RunStatus::State::Measured;
    status.honesty = honestyOf(status.state);
    if (m_queue.busy()) {
        status.state = RunStatus::State::Running;
        status.fraction = m_queue.fraction();
        status.text = m_queue.stage();
        return status;
    }
    status.text = describeResults(status.state);
    return status;
}

QString Session::honestyOf(RunStatus::State state) const
{
    const QString note = honestyNote(experiment().ranks(), m_computer.cores);
    const bool ranksRun = m_queue.busy() && !m_queue.onlyMeasures();
    // This computer's cores say nothing about a run of another one.
    if (state == RunStatus::State::Recorded && !ranksRun)
        return recordedWhere(*m_results.measured.begin()->second);
    // What cannot run here is said where it is always seen; of a prediction nothing shares a core.
    if (!m_permission.allowed || (state == RunStatus::State::Predicted && !ranksRun))
        return m_permission.why.isEmpty() ? note : m_permission.why;
    if (state == RunStatus::State::Measured && !m_heldBack.isEmpty())
        return note + QStringLiteral(" \u00b7 ") + m_heldBack;
    return note;
}

QString Session::describeResults(RunStatus::State state) const
{
    switch (state) {
    case RunStatus::State::Stale:
        return tr("Measured for other settings");
    case RunStatus::State::Recorded:
        return recordedTitle(*m_results.measured.begin()->second);
    case RunStatus::State::Measured:
        return tr("%1, measured %2")
            .arg(ranksOnCores(experiment().ranks(), m_computer.cores), timeOf(*m_results.measured.begin()->second));
    case RunStatus::State::Predicted:
    case RunStatus::State::Running:
        break;
    }
    const Hardware &hardware = m_predictor.hardwareFor(experiment().dtype);
    const QString title = QString::fromStdString(hardware.title);
    return m_permission.allowed ? tr("Predicted for %1").arg(title) : tr("Predicted, not measured: %1").arg(title);
}

} // namespace shardscope
