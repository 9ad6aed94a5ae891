// SPDX-License-Identifier: GPL-3.0-or-later
// What the session says of itself: one status that the header bar shows.
#include "app/points.h"
#include "app/run_files.h"
#include "app/session.h"
#include "ui/run_words.h"

#include <QDateTime>
#include <QStringList>
#include <algorithm>
#include <utility>

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
    status.canMeasure = !m_permission.allowed && m_predictor.lacksThisMachine(experiment().dtype);
    status.whyNot = m_permission.why;
    if (!m_results.measured.empty())
        status.state = m_results.stale   ? RunStatus::State::Stale
                       : showsRecorded() ? RunStatus::State::Recorded
                                         : RunStatus::State::Measured;
    status.honesty = honestyOf(status.state);
    status.checks = verdict();
    status.machine = m_computer.name;
    if (m_link.connecting()) {
        status.state = RunStatus::State::Running;
        status.text = tr("Connecting to %1").arg(m_computer.name);
        status.canRun = status.canMeasure = false;
        return status;
    }
    if (m_queue.busy()) {
        status.state = RunStatus::State::Running;
        status.fraction = m_queue.fraction();
        status.text = m_queue.stage();
        return status;
    }
    status.text = describeResults(status.state);
    const bool here = status.state == RunStatus::State::Measured;
    const QString missing = here || status.state == RunStatus::State::Recorded ? missingOf(here) : QString();
    if (!missing.isEmpty())
        status.text += QStringLiteral(" \u00b7 ") + missing;
    // A recording may be of one phase only, but not of half of it.
    status.incomplete = here ? isIncomplete() : !missing.isEmpty();
    return status;
}

const CheckVerdict &Session::verdict() const
{
    std::vector<RunPtr> shown;
    if (!m_results.stale) {
        for (const auto &[phase, run] : m_results.measured)
            shown.push_back(run);
        shown.push_back(m_results.measuredOne);
    }
    if (shown != m_judged) {
        std::vector<const Run *> runs;
        for (const RunPtr &run : shown)
            runs.push_back(run.get());
        m_verdict = checkVerdict(runs);
        m_judged = std::move(shown);
    }
    return m_verdict;
}

void Session::reportFailedCheck()
{
    const CheckVerdict &checks = verdict();
    if (!checks.failed() || std::exchange(m_saidFailed, true))
        return;
    const QString text = checks.rule.isEmpty() ? checks.line : tr("%1; broken rule: %2").arg(checks.line, checks.rule);
    // Of a scheme that is wrong on purpose a failure is what was asked for.
    const bool expected = !checks.rule.isEmpty();
    Q_EMIT messageRaised({expected ? UserMessage::Level::Warning : UserMessage::Level::Error,
                          text,
                          expected ? tr("This scheme is wrong on purpose; its right form passes.")
                                   : tr("The numbers are of a wrong result; run again, and report it if it stays."),
                          {MessageAction::ShowLog}});
}

/// "training 12 of 20 steps; decode is predicted": why this is not simply "measured".
QString Session::missingOf(bool withPhases) const
{
    std::vector<const Run *> runs;
    QStringList absent;
    for (const Phase phase : kPhases) {
        if (const auto found = m_results.measured.find(phase); found != m_results.measured.end())
            runs.push_back(found->second.get());
        else if (inPhase(experiment(), phase))
            absent << QString::fromUtf8(name(phase).data());
    }
    runs.push_back(m_results.measuredOne.get());
    QStringList parts{partialNote(runs)};
    // Why a phase was not run is said in the second line where it was meant so.
    if (withPhases && !absent.isEmpty() && m_heldBack.isEmpty())
        parts << tr("%1 predicted").arg(absent.join(QStringLiteral(", ")));
    parts.removeAll(QString());
    return parts.join(QStringLiteral("; "));
}

bool Session::isIncomplete() const
{
    const bool brokenOff =
        std::ranges::any_of(m_results.measured, [](const auto &run) { return isBrokenOff(*run.second); });
    const bool lacksOne = m_results.measured.size() < 3 && m_heldBack.isEmpty();
    return brokenOff || lacksOne || (m_results.measuredOne && isBrokenOff(*m_results.measuredOne));
}

QString Session::honestyOf(RunStatus::State state) const
{
    const QString note = honestyOn(experiment().ranks(), m_computer);
    const bool ranksRun = m_queue.busy() && !m_queue.onlyMeasures();
    // This computer's cores say nothing about a run of another one.
    if (state == RunStatus::State::Recorded && !ranksRun)
        return recordedWhere(*m_results.measured.begin()->second);
    if (m_computer.cores == 0) // another machine, whose engine has not said hello
        return tr("Not connected to %1").arg(m_computer.name);
    // What cannot run here is said where it is always seen.
    if (!m_permission.allowed) {
        const auto predicted = m_results.predicted.find(experiment().phase);
        const QString beyond = predicted == m_results.predicted.end() ? QString() : nodeNote(*predicted->second);
        // Of another machine's prediction this machine's cores are no property, only why nothing is measured.
        const bool ofThis = m_predictor.chosen() == kThisMachine;
        const QString why =
            ofThis ? m_permission.why : tr("not measured %1: %2").arg(m_computer.where(), m_permission.why);
        return beyond.isEmpty() ? why : beyond + QStringLiteral(" \u00b7 ") + why;
    }
    if (state == RunStatus::State::Predicted && !ranksRun) {
        if (!m_permission.why.isEmpty())
            return m_permission.why;
        const QString ranks = ranksOnCoresWord(experiment().ranks(), m_computer);
        // Ranks of another machine share none of the cores here.
        const bool ofThis = m_predictor.chosen() == kThisMachine && m_predictor.knowsThisMachine(experiment().dtype);
        return ofThis ? note
                      : tr("Not measured yet: %1").arg(m_computer.name.isEmpty() ? tr("%1 here").arg(ranks) : ranks);
    }
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
            .arg(ranksOnCoresWord(experiment().ranks(), m_computer), timeOf(*m_results.measured.begin()->second));
    case RunStatus::State::Predicted:
    case RunStatus::State::Running:
        break;
    }
    const Hardware &hardware = m_predictor.hardwareFor(experiment().dtype);
    const QString title = QString::fromStdString(hardware.title);
    const QString predicted =
        m_permission.allowed ? tr("Predicted for %1").arg(title) : tr("Predicted, not measured: %1").arg(title);
    if (!m_predictor.lacksThisMachine(experiment().dtype))
        return predicted;
    return tr("%1 (%2 is not measured %3 yet)")
        .arg(predicted, QString::fromUtf8(name(experiment().dtype).data()), m_computer.where());
}

} // namespace shardscope
