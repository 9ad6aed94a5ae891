// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/remote/ssh_question.h"

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QStringList>

namespace shardscope {

class EngineLink;
class MainWindow;
class QuestionDialog;
class Session;
struct Settings;

/// Another machine in the window: the menu that connects, the dialogs in which ssh asks, the window's title.
class RemoteWiring : public QObject
{
    Q_OBJECT
public:
    RemoteWiring(MainWindow &window, Session &session, EngineLink &link, const Settings &settings);

    /// Machines that were reached, the last first.
    [[nodiscard]] const QStringList &hosts() const { return m_hosts; }

private:
    void askHost();
    void ask(const SshQuestion &question);
    void withdraw(int question);
    void onMachineChanged();

    MainWindow &m_window;
    Session &m_session;
    EngineLink &m_link;
    QStringList m_hosts;
    QHash<int, QPointer<QuestionDialog>> m_dialogs;
};

} // namespace shardscope
