// SPDX-License-Identifier: GPL-3.0-or-later
// A remote engine that is missing, silent, of another version or lost: what the window says, and that it goes on.
#include "tests/app/remote_window.h"

#include <csignal>

using namespace shardscope;
using namespace shardscope::tests;

class TestRemoteLost : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_fixture = std::make_unique<tests::RemoteFixture>(); }
    void init() { m_fixture->begin(); }
    void cleanup() { m_fixture->end(); }
    void cleanupTestCase() { m_fixture.reset(); }

    void connectingCanBeCancelled()
    {
        RemoteWindow window(m_fixture->style(), QStringLiteral("silent"));
        QTRY_VERIFY(window.session().status().state == RunStatus::State::Running);
        QCOMPARE(window.session().status().text, QStringLiteral("Connecting to silent"));
        QTRY_COMPARE(sshClients().size(), 1);
        window.wiring->window().actions().cancel->trigger();
        QVERIFY(window.message().contains(QStringLiteral("Not connected to silent: cancelled")));
        QVERIFY(window.session().status().state != RunStatus::State::Running);
        QTRY_VERIFY(sshClients().isEmpty());
    }

    void anEngineThatNeverSaysHelloIsGivenUp()
    {
        m_fixture->startServer("mute");
        RemoteWindow window(m_fixture->style());
        window.link()->setHelloLimit(std::chrono::milliseconds(3000));
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("No answer from loop: no engine said hello")),
                                 kWaitMs);
        QTRY_VERIFY(m_fixture->server().sessionProcesses().isEmpty());
    }

    void sshKilledInTheMiddleOfARun()
    {
        m_fixture->startServer("slow");
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.session().status().text.startsWith(QStringLiteral("Running")), kWaitMs);
        QCOMPARE(m_fixture->server().sessionProcesses().size(), 1);
        const QList<qint64> clients = sshClients();
        QCOMPARE(clients.size(), 1);
        QCOMPARE(kill(static_cast<pid_t>(clients.front()), SIGKILL), 0);
        QTRY_VERIFY(window.message().contains(QStringLiteral("The connection to loop was lost: ssh was killed")));
        QTRY_VERIFY(m_fixture->server().sessionProcesses().isEmpty());
        QTRY_VERIFY(m_fixture->server().sessionServers().isEmpty());
    }

    void aServerThatGoesIsSaidAndRetryWorks()
    {
        RemoteWindow window(m_fixture->style());
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
        const RunPtr before = window.session().results().measured.begin()->second;
        m_fixture->server().stop();
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("The connection to loop was lost")), kWaitMs);
        QCOMPARE(window.session().results().measured.begin()->second, before);
        MessageBar &bar = window.wiring->window().messageBar();
        RemoteWindow::press(bar, QStringLiteral("Retry"));
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("No connection to loop")), kWaitMs);
        QVERIFY2(window.measured(), "results so far stay");
        m_fixture->startServer();
        RemoteWindow::press(bar, QStringLiteral("Retry"));
        QTRY_VERIFY_WITH_TIMEOUT(window.link()->ready(), kWaitMs);
        QVERIFY(window.message().isEmpty());
        window.session().runNow();
        QTRY_VERIFY_WITH_TIMEOUT(window.measured() && window.session().results().measured.begin()->second != before,
                                 kWaitMs);
    }

    /// The run button connects again, too.
    void runConnectsFirst()
    {
        m_fixture->server().stop();
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("No connection to loop")), kWaitMs);
        QCOMPARE(window.session().status().honesty, QStringLiteral("Not connected to loop"));
        m_fixture->startServer();
        window.wiring->window().actions().run->trigger();
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
    }

    /// A network that falls silent has no end of file: ssh's own heartbeat notices it after 10 to 15 seconds.
    void aSilentNetworkIsALostConnection()
    {
        RemoteWindow window(m_fixture->style());
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
        const QList<qint64> servers = m_fixture->server().sessionServers();
        QVERIFY(!servers.isEmpty());
        for (const qint64 pid : servers)
            QCOMPARE(kill(static_cast<pid_t>(pid), SIGSTOP), 0);
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("The connection to loop was lost: Timeout")),
                                 2 * kWaitMs);
        QVERIFY(window.measured());
    }

    void versionsAreCompared()
    {
        m_fixture->startServer("", QStringLiteral("0.0.9"));
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(
            window.message().contains(QStringLiteral("The engine on loop is Shardscope 0.0.9, this window is ")),
            kWaitMs);
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
    }

    void aNewerProtocolIsRefusedWithBothVersions()
    {
        m_fixture->startServer("newer");
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("version 2 of the stream")), kWaitMs);
        QVERIFY2(window.message().contains(QStringLiteral("version 1")) && window.message().contains(kLoop),
                 qPrintable(window.message()));
        QVERIFY(window.message().contains(QStringLiteral("same version of Shardscope on both")));
        QTRY_VERIFY(m_fixture->server().sessionProcesses().isEmpty());
    }

    void wordsOfTheLoginShellAreNoStream()
    {
        const QString wrapper = m_fixture->folder.filePath(QStringLiteral("greeting"));
        QFile script(wrapper);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\necho Welcome to this machine\nexec " SHARDSCOPE_FAKE_ENGINE " \"$@\"\n");
        script.close();
        script.setPermissions(script.permissions() | QFile::ExeOwner);
        qputenv("SHARDSCOPE_REMOTE_ENGINE", wrapper.toLocal8Bit());
        RemoteWindow window(m_fixture->style());
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
        QCOMPARE(window.message(), QString());
        qunsetenv("SHARDSCOPE_REMOTE_ENGINE");
    }

    void noEngineOnTheHost()
    {
        m_fixture->server().stop();
        m_fixture->server().setEnvironment(QStringLiteral("PATH"), QStringLiteral("/usr/bin:/bin"));
        QCOMPARE(m_fixture->server().start(), QString());
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("No Shardscope engine is found on loop")),
                                 kWaitMs);
        QVERIFY(window.message().contains(QStringLiteral("packaging/setup.sh --engine-only")));
        // Named by its path it is found.
        qputenv("SHARDSCOPE_REMOTE_ENGINE", SHARDSCOPE_FAKE_ENGINE);
        RemoteWindow::press(window.wiring->window().messageBar(), QStringLiteral("Retry"));
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
        qunsetenv("SHARDSCOPE_REMOTE_ENGINE");
    }

private:
    std::unique_ptr<tests::RemoteFixture> m_fixture;
};

QTEST_MAIN(TestRemoteLost)
#include "tst_remote_lost.moc"
