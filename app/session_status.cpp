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
    return tr("Predicted for %1").arg(QString::fromStdString(hardware.title));
}

} // namespace shardscope
