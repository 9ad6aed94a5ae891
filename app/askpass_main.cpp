// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope-askpass: ssh starts it with a question (SSH_ASKPASS); the window that started ssh asks it and answers
// here.
#include "app/askpass_words.h"
#include "engine/record/exit_code.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalSocket>
#include <cstdio>

namespace {

using namespace shardscope;

constexpr int kRefused = 1;

/// A socket of somebody else would get this user's passwords.
bool isOurs(const QString &socket)
{
    const QFileInfo self(QStringLiteral("/proc/self"));
    return !self.exists() || QFileInfo(socket).ownerId() == self.ownerId();
}

} // namespace

int main(int argc, char **argv)
{
    const QString name = qEnvironmentVariable(kAskpassSocket.data());
    if (argc != 2 || name.isEmpty()) {
        std::fputs("shardscope-askpass: allowed is one question, from the ssh that a Shardscope window has started\n",
                   stderr);
        return kBadArguments;
    }
    if (!isOurs(name)) {
        std::fputs("shardscope-askpass: the socket of the window belongs to another user; nothing is asked\n", stderr);
        return kRefused;
    }
    const QCoreApplication application(argc, argv);
    QLocalSocket window;
    window.connectToServer(name);
    const QJsonObject question{{kPromptKey, QString::fromLocal8Bit(argv[1])},
                               {kHintKey, qEnvironmentVariable("SSH_ASKPASS_PROMPT")}};
    window.write(QJsonDocument(question).toJson(QJsonDocument::Compact) + '\n');
    // The user may take as long as it takes; a window that closes ends the wait.
    while (!window.canReadLine()) {
        if (!window.waitForReadyRead(-1))
            return kRefused;
    }
    QByteArray line = window.readLine();
    const QJsonValue answer = QJsonDocument::fromJson(line).object()[kAnswerKey];
    line.fill('\0');
    if (!answer.isString())
        return kRefused;
    QByteArray text = answer.toString().toLocal8Bit() + '\n';
    const bool written = std::fwrite(text.constData(), 1, static_cast<std::size_t>(text.size()), stdout) ==
                             static_cast<std::size_t>(text.size()) &&
                         std::fflush(stdout) == 0;
    text.fill('\0');
    return written ? 0 : kRefused;
}
