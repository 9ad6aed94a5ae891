// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/remote/ssh_question.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <memory>

class QLocalServer;
class QLocalSocket;
class QProcessEnvironment;
class QTemporaryDir;

namespace shardscope {

/// Where ssh's questions arrive: ssh starts shardscope-askpass, which brings each here over a socket in a folder that
/// only this user can enter, and takes the answer back. One server is one connection. Answers are kept nowhere.
class AskpassServer : public QObject
{
    Q_OBJECT
public:
    /// `host`: what labels call it.
    explicit AskpassServer(QString host, QObject *parent = nullptr);
    ~AskpassServer() override;

    /// Why nothing can be asked, one sentence; empty: it can.
    [[nodiscard]] QString listen();
    /// Makes ssh ask here, whatever terminal there is (OpenSSH 8.4).
    void addTo(QProcessEnvironment &environment) const;
    void answer(int id, const QString &text);
    /// ssh is gone or goes: whoever still asks leaves.
    void withdrawAll();

Q_SIGNALS:
    void asked(const shardscope::SshQuestion &question);
    /// ssh does not wait for this answer any more.
    void withdrawn(int id);

private:
    void onConnection();
    void readQuestion(QLocalSocket *socket);
    void forget(QLocalSocket *socket);

    QString m_host;
    std::unique_ptr<QTemporaryDir> m_folder;
    QLocalServer *m_server;
    QHash<int, QLocalSocket *> m_open;
    QHash<int, QString> m_words; ///< of the open questions
    QSet<QString> m_answered;    ///< what was asked before, in ssh's words
    int m_nextId = 1;
};

} // namespace shardscope
