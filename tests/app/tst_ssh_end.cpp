// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ssh_end.h"

#include "app/engine_start.h"

#include <QTest>

using namespace shardscope;

class TestSshEnd : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void eachCauseIsNamedWithARemedy_data()
    {
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("errors");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("remedy");
        const auto row = [](const char *name, int exitCode, const char *errors, const char *reason,
                            const char *remedy) {
            QTest::newRow(name) << exitCode << QString::fromLatin1(errors) << QString::fromLatin1(reason)
                                << QString::fromLatin1(remedy);
        };
        row("no such name", 255, "ssh: Could not resolve hostname gpu1: Name or service not known\r\n",
            "No machine is known as gpu1: ssh: Could not resolve hostname gpu1: Name or service not known",
            "Check the spelling; short names of machines stand in ~/.ssh/config.");
        row("nobody listens", 255, "ssh: connect to host gpu1 port 22: Connection refused\n",
            "No connection to gpu1: ssh: connect to host gpu1 port 22: Connection refused",
            "Does an ssh server run there");
        row("silence", 255, "ssh: connect to host gpu1 port 22: Connection timed out\n",
            "No answer from gpu1: ", "Is the machine on");
        row("no way", 255, "ssh: connect to host gpu1 port 22: No route to host\n",
            "No answer from gpu1: ", "Is the machine on");
        row("not let in", 255, "Welcome to gpu1.\nme@gpu1: Permission denied (publickey,password).\n",
            "This user was not let in by gpu1: me@gpu1: Permission denied (publickey,password)",
            "is that ssh me@gpu1 logs in from a terminal.");
        row("too many keys", 255, "Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures\n",
            "This user was not let in by gpu1: ", "ssh me@gpu1");
        row("key not accepted", 255, "Host key verification failed.\n",
            "The host key of gpu1 was not accepted: Host key verification failed", "Connect again and answer yes");
        row("no engine", 127, "bash: line 1: exec: shardscope-engine: not found\n",
            "No Shardscope engine is found on gpu1: bash: line 1: exec: shardscope-engine: not found",
            "packaging/setup.sh --engine-only");
        row("no program", 126, "bash: line 1: /opt/x: Permission denied\n",
            "The engine on gpu1 cannot be started: ", "a program that this user may start");
        row("the engine fails", 4, "shardscope-engine: no rank host\n",
            "The engine on gpu1 ended with exit status 4: shardscope-engine: no rank host", "doctor");
        row("without a word", 255, "", "No connection to gpu1", "ssh me@gpu1 logs in");
    }
    void eachCauseIsNamedWithARemedy()
    {
        QFETCH(int, exitCode);
        QFETCH(QString, errors);
        QFETCH(QString, reason);
        QFETCH(QString, remedy);
        const EngineEnd end = explain({QStringLiteral("me@gpu1"), exitCode, false, false, errors});
        QVERIFY2(end.reason.startsWith(reason), qPrintable(end.reason));
        QVERIFY2(end.remedy.contains(remedy), qPrintable(end.remedy));
        QVERIFY(!end.reason.contains(QLatin1Char('\n')) && !end.remedy.contains(QLatin1Char('%')));
    }

    void aChangedKeyIsSaidInSshsWords()
    {
        const QString errors = QStringLiteral("@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n"
                                              "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n"
                                              "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n"
                                              "Offending ED25519 key in /home/me/.ssh/known_hosts:3\n"
                                              "  remove with:\n"
                                              "  ssh-keygen -f \"/home/me/.ssh/known_hosts\" -R \"gpu1\"\n"
                                              "Host key for gpu1 has changed and you have requested strict checking.\n"
                                              "Host key verification failed.\n");
        const EngineEnd end = explain({QStringLiteral("gpu1"), 255, false, false, errors});
        QVERIFY2(end.reason.contains(QStringLiteral("The host key of gpu1 has changed, and ssh refuses")),
                 qPrintable(end.reason));
        QVERIFY2(end.reason.contains(QStringLiteral("Host key for gpu1 has changed")), qPrintable(end.reason));
        QVERIFY2(end.remedy.endsWith(QStringLiteral("ssh-keygen -f \"/home/me/.ssh/known_hosts\" -R \"gpu1\"")),
                 qPrintable(end.remedy));
        // Other builds of ssh do not write the command.
        const EngineEnd plain =
            explain({QStringLiteral("gpu1"), 255, false, false, QString(errors).remove(QStringLiteral("ssh-keygen"))});
        QVERIFY(plain.remedy.endsWith(QStringLiteral("ssh-keygen -R gpu1")));
    }

    void afterTheHelloItIsTheConnectionThatWasLost()
    {
        for (const char *words : {"Timeout, server gpu1 not responding.", "client_loop: send disconnect: Broken pipe",
                                  "Connection to gpu1 closed by remote host."}) {
            const EngineEnd end = explain({QStringLiteral("gpu1"), 255, false, true, QString::fromLatin1(words)});
            QVERIFY2(end.reason.startsWith(QStringLiteral("The connection to gpu1 was lost: ")),
                     qPrintable(end.reason));
            QVERIFY(end.remedy.contains(QStringLiteral("Results so far stay")));
        }
        const EngineEnd killed = explain({QStringLiteral("gpu1"), 9, true, true, {}});
        QCOMPARE(killed.reason, QStringLiteral("The connection to gpu1 was lost: ssh was killed"));
        const EngineEnd ended = explain({QStringLiteral("gpu1"), 7, false, true, QStringLiteral("last words\n")});
        QCOMPARE(ended.reason, QStringLiteral("The engine on gpu1 ended with exit status 7: last words"));
    }

    void theCommandIsThatOfSsh()
    {
        qputenv("SHARDSCOPE_SSH", "");
        qputenv("SHARDSCOPE_REMOTE_ENGINE", "");
        const EngineStart plain = engineBySsh(QStringLiteral("me@gpu1"));
        QCOMPARE(plain.program, QStringLiteral("ssh"));
        QCOMPARE(plain.arguments.mid(plain.arguments.size() - 4),
                 QStringList({QStringLiteral("-T"), QStringLiteral("--"), QStringLiteral("me@gpu1"),
                              QStringLiteral("exec shardscope-engine serve")}));
        for (const char *option : {"ServerAliveInterval=5", "ServerAliveCountMax=2"})
            QVERIFY(plain.arguments.contains(QLatin1String(option)));
        qputenv("SHARDSCOPE_SSH", "/opt/my\" \"ssh -p 2222");
        qputenv("SHARDSCOPE_REMOTE_ENGINE", "~/build/bin/shardscope-engine");
        const EngineStart own = engineBySsh(QStringLiteral("gpu1"));
        QCOMPARE(own.program, QStringLiteral("/opt/my ssh"));
        QCOMPARE(own.arguments.mid(0, 2), QStringList({QStringLiteral("-p"), QStringLiteral("2222")}));
        QCOMPARE(own.arguments.back(), QStringLiteral("exec ~/build/bin/shardscope-engine serve"));
    }
};

QTEST_GUILESS_MAIN(TestSshEnd)
#include "tst_ssh_end.moc"
