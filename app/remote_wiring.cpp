// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/remote_wiring.h"

#include "app/engine_link.h"
#include "app/session.h"
#include "app/settings.h"
#include "ui/main_window.h"
#include "ui/message_bar.h"
#include "ui/panels/experiment_panel.h"
#include "ui/remote/connect_dialog.h"
#include "ui/remote/question_dialog.h"
#include "ui/window_actions.h"

#include <QAction>

namespace shardscope {

RemoteWiring::RemoteWiring(MainWindow &window, Session &session, EngineLink &link, const Settings &settings)
    : m_window(window), m_session(session), m_link(link), m_hosts(settings.hosts)
{
    m_link.setAsksByWindow(true);
    connect(m_window.actions().connectRemote, &QAction::triggered, this, &RemoteWiring::askHost);
    connect(m_window.actions().useThisMachine, &QAction::triggered, this, [this] {
        m_window.messageBar().dismiss();
        m_session.useMachine({});
    });
    connect(&m_link, &EngineLink::questionAsked, this, &RemoteWiring::ask);
    connect(&m_link, &EngineLink::questionWithdrawn, this, &RemoteWiring::withdraw);
    connect(&m_session, &Session::machineChanged, this, &RemoteWiring::onMachineChanged);
}

void RemoteWiring::askHost()
{
    auto *dialog = new ConnectDialog(m_hosts, &m_window);
    connect(dialog, &ConnectDialog::connectRequested, this, [this](const QString &address) {
        m_window.messageBar().dismiss();
        m_session.useMachine(address);
    });
    dialog->show();
}

void RemoteWiring::ask(const SshQuestion &question)
{
    auto *dialog = new QuestionDialog(question, &m_window);
    m_dialogs.insert(question.id, dialog);
    connect(dialog, &QuestionDialog::answered, this, [this](int id, const QString &text) {
        m_dialogs.remove(id);
        m_link.answer(id, text);
    });
    const bool ofKey = question.kind == SshQuestion::Kind::HostKey;
    connect(dialog, &QuestionDialog::refused, this, [this, ofKey](int id) {
        m_dialogs.remove(id);
        if (ofKey) // ssh ends by itself and says why
            m_link.answer(id, QStringLiteral("no"));
        else
            m_session.cancel();
    });
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void RemoteWiring::withdraw(int question)
{
    if (QuestionDialog *dialog = m_dialogs.take(question))
        dialog->withdraw();
}

void RemoteWiring::onMachineChanged()
{
    const QString &address = m_session.remote();
    m_window.actions().useThisMachine->setEnabled(!address.isEmpty());
    m_window.setWindowTitle(address.isEmpty() ? QStringLiteral("Shardscope")
                                              : QStringLiteral("Shardscope \u00b7 %1").arg(m_session.computer().name));
    m_window.panel().setMostRanks(m_session.computer().mostRanks());
    // A name that was mistyped is not worth remembering.
    if (address.isEmpty() || !m_link.ready())
        return;
    m_hosts.removeAll(address);
    m_hosts.prepend(address);
    m_hosts = m_hosts.mid(0, kMostHosts);
}

} // namespace shardscope
