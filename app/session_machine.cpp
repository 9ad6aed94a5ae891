// SPDX-License-Identifier: GPL-3.0-or-later
// Which machine runs the ranks: this one, or another that is reached by ssh.
#include "app/session.h"
#include "ui/remote/host_name.h"
#include "ui/texts.h"

#include <QVersionNumber>
#include <utility>

namespace shardscope {

void Session::useMachine(const QString &address)
{
    if (address == remote() && m_link.ready() && !m_engineGone)
        return;
    if (address != remote()) {
        // One measurement of this machine serves until it is used again.
        const std::string chosen = m_predictor.chosen();
        if (remote().isEmpty())
            m_predictorHere = m_predictor;
        m_predictor = address.isEmpty() ? m_predictorHere : Predictor();
        m_predictor.choose(chosen);
        m_computer = address.isEmpty() ? m_here : Computer{0, std::nullopt, hostName(address)};
        m_store.clear();
        if (!showsRecorded())
            forgetMeasured();
    }
    m_queue.abandon();
    m_link.setRemote(address);
    m_heldBack.clear();
    m_triedMeasuring.clear();
    m_afterHello = nullptr;
    m_engineGone = false;
    m_saidUnreadable = false;
    m_restAgain = false;
    if (!address.isEmpty())
        m_link.connectNow();
    replan();
    m_rest.start();
    m_status = currentStatus();
    Q_EMIT machineChanged();
    announce();
}

bool Session::isReady(std::function<void()> then)
{
    if (m_link.ready())
        return true;
    m_afterHello = std::move(then);
    m_engineGone = false;
    m_link.connectNow();
    updateStatus();
    return false;
}

void Session::startEngine()
{
    if (remote().isEmpty() && !m_engineGone)
        m_link.connectNow();
}

void Session::onHello()
{
    const HelloEvent &hello = *m_link.hello();
    const bool forgotten = m_predictor.forgetUnless(hello.machine);
    if (!remote().isEmpty())
        onRemoteHello(hello);
    else if (forgotten) {
        replan();
        announce();
    }
}

void Session::onRemoteHello(const HelloEvent &hello)
{
    m_computer = Computer::of(hello);
    replan();
    m_rest.start();
    m_status = currentStatus();
    Q_EMIT machineChanged();
    announce();
    reportVersion(hello);
    if (const auto then = std::exchange(m_afterHello, nullptr))
        then();
}

/// Another version is understood as far as the older of the two goes.
void Session::reportVersion(const HelloEvent &hello)
{
    const QVersionNumber there = QVersionNumber::fromString(QString::fromStdString(hello.engineVersion));
    const QVersionNumber here = QVersionNumber::fromString(QStringLiteral(SHARDSCOPE_VERSION));
    if (there.isNull() || there == here)
        return;
    const QString older =
        there < here ? tr("what is new here is refused there") : tr("what is new there is not shown here");
    Q_EMIT messageRaised({UserMessage::Level::Info,
                          tr("The engine on %1 is Shardscope %2, this window is %3: %4")
                              .arg(m_computer.name, there.toString(), here.toString(), older),
                          tr("Install the same version on both."),
                          {}});
}

void Session::cancelConnecting()
{
    m_link.stop();
    m_afterHello = nullptr;
    m_engineGone = true;
    Q_EMIT messageRaised({UserMessage::Level::Info,
                          tr("Not connected to %1: cancelled").arg(hostName(remote())),
                          {},
                          startAgainActions()});
}

QVector<MessageAction> Session::startAgainActions() const
{
    if (remote().isEmpty())
        return {MessageAction::RestartEngine, MessageAction::ShowLog};
    return {MessageAction::Retry, MessageAction::UseThisMachine, MessageAction::ShowLog};
}

QString Session::streamProblem(int line, const Text &problem) const
{
    const QString words = sentence(problem);
    if (remote().isEmpty())
        return tr("Line %1 of the engine's stream cannot be read: %2").arg(line).arg(words);
    return tr("Line %1 of the stream from %2 cannot be read: %3").arg(line).arg(hostName(remote()), words);
}

} // namespace shardscope
