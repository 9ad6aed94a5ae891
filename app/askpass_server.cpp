// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/askpass_server.h"

#include "app/askpass_words.h"

#include <QCoreApplication>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalServer>
#include <QLocalSocket>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <utility>

namespace shardscope {

namespace {

constexpr qint64 kLongestQuestion = 64 * 1024;

} // namespace

AskpassServer::AskpassServer(QString host, QObject *parent)
    : QObject(parent), m_host(std::move(host)), m_server(new QLocalServer(this))
{
    connect(m_server, &QLocalServer::newConnection, this, &AskpassServer::onConnection);
}

AskpassServer::~AskpassServer()
{
    const auto waiting = findChildren<QLocalSocket *>();
    for (QLocalSocket *socket : waiting) // what they still say is for nobody
        socket->disconnect(this);
}

void AskpassServer::withdrawAll()
{
    m_server->close();
    const QHash<int, QLocalSocket *> waiting = std::exchange(m_open, {});
    for (auto entry = waiting.begin(); entry != waiting.end(); ++entry) {
        entry.value()->abort();
        Q_EMIT withdrawn(entry.key());
    }
}

QString AskpassServer::listen()
{
    // mkdtemp's folder is open to this user alone.
    m_folder = std::make_unique<QTemporaryDir>(QDir::temp().filePath(QStringLiteral("shardscope-XXXXXX")));
    if (!m_folder->isValid())
        return tr("ssh's questions cannot be asked: %1").arg(m_folder->errorString());
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    if (!m_server->listen(m_folder->filePath(QStringLiteral("ask"))))
        return tr("ssh's questions cannot be asked: %1").arg(m_server->errorString());
    return {};
}

void AskpassServer::addTo(QProcessEnvironment &environment) const
{
    environment.insert(QStringLiteral("SSH_ASKPASS"),
                       QDir(QCoreApplication::applicationDirPath()).filePath(kAskpassProgram));
    environment.insert(QStringLiteral("SSH_ASKPASS_REQUIRE"), QStringLiteral("force"));
    environment.insert(kAskpassSocket, m_server->fullServerName());
}

void AskpassServer::onConnection()
{
    while (QLocalSocket *socket = m_server->nextPendingConnection()) {
        connect(socket, &QLocalSocket::readyRead, this, [this, socket] { readQuestion(socket); });
        connect(socket, &QLocalSocket::disconnected, this, [this, socket] { forget(socket); });
        readQuestion(socket); // it may have come with the connection
    }
}

void AskpassServer::readQuestion(QLocalSocket *socket)
{
    if (!socket->canReadLine()) {
        if (socket->bytesAvailable() > kLongestQuestion)
            socket->abort();
        return;
    }
    const QJsonObject asked = QJsonDocument::fromJson(socket->readLine(kLongestQuestion)).object();
    const QString words = asked[kPromptKey].toString();
    const SshQuestion question{questionKind(words, asked[kHintKey].toString()), m_nextId++, m_host, words,
                               m_answered.contains(words)};
    m_open.insert(question.id, socket);
    m_words.insert(question.id, words);
    Q_EMIT this->asked(question);
}

void AskpassServer::answer(int id, const QString &text)
{
    QLocalSocket *socket = m_open.take(id);
    if (!socket)
        return;
    m_answered.insert(m_words.take(id));
    QByteArray line = QJsonDocument(QJsonObject{{kAnswerKey, text}}).toJson(QJsonDocument::Compact) + '\n';
    socket->write(line);
    socket->flush();
    line.fill('\0');
    socket->disconnectFromServer();
}

void AskpassServer::forget(QLocalSocket *socket)
{
    socket->deleteLater();
    const int id = m_open.key(socket, 0);
    if (m_open.remove(id) > 0)
        Q_EMIT withdrawn(id);
}

} // namespace shardscope
