// SPDX-License-Identifier: GPL-3.0-or-later
// Real ranks behind a real sshd: how soon the first measured step is there, and that nothing outlives a killed ssh.
#include "app/engine_link.h"
#include "engine/plan/experiment_options.h"
#include "tests/app/ssh_server.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <csignal>

using namespace shardscope;
using tests::SshServer;

namespace {

constexpr int kWaitMs = 60000;
constexpr int kFirstStepMs = 1500;
constexpr int kGoneMs = 2000;

/// N = 2, hidden 256.
Experiment smallLayer()
{
    Experiment experiment;
    experiment.mesh.extents = {2, 1, 1};
    experiment.hidden = 256;
    experiment.ffn = 1024;
    experiment.heads = 4;
    experiment.kvHeads = 4;
    return experiment;
}

} // namespace

class TestRemoteRun : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        qputenv("SHARDSCOPE_REMOTE_ENGINE", SHARDSCOPE_ENGINE);
        m_server.setEnvironment(QStringLiteral("PATH"), QStringLiteral("/usr/bin:/bin"));
        QCOMPARE(m_server.start(), QString());
    }

    void theFirstStepIsThereSoon()
    {
        EngineLink link{QString()};
        link.setRemote(QStringLiteral("loop"));
        QElapsedTimer clock;
        clock.start();
        link.connectNow();
        QTRY_VERIFY_WITH_TIMEOUT(link.ready(), kWaitMs);
        qInfo("connected, the engine's hello: after %lld ms", clock.elapsed());
        qint64 first = -1;
        bool ended = false;
        connect(&link, &EngineLink::eventReceived, this, [&](const Event &event) {
            if (const auto *step = std::get_if<IterationEvent>(&event); step && !step->warmup && first < 0)
                first = clock.elapsed();
            ended = ended || std::holds_alternative<EndEvent>(event);
        });
        QVERIFY(!validate(smallLayer()));
        qint64 best = kWaitMs;
        for (int i = 0; i < 3; ++i) { // other work of the machine may disturb one
            first = -1;
            ended = false;
            clock.restart();
            link.send(RunCommand{"r" + std::to_string(i), allOptions(smallLayer()), 10});
            QTRY_VERIFY_WITH_TIMEOUT(ended, kWaitMs);
            QVERIFY2(first >= 0, "a run without a timed step");
            qInfo("first measured step, N = 2, hidden 256: after %lld ms", first);
            best = std::min(best, first);
        }
        QVERIFY2(best <= kFirstStepMs, qPrintable(QStringLiteral("%1 ms").arg(best)));
    }

    void nothingOutlivesAKilledSsh()
    {
        EngineLink link{QString()};
        link.setRemote(QStringLiteral("loop"));
        QString reason;
        connect(&link, &EngineLink::engineEnded, this, [&](const QString &why) { reason = why; });
        bool steps = false;
        connect(&link, &EngineLink::eventReceived, this,
                [&](const Event &event) { steps = steps || std::holds_alternative<IterationEvent>(event); });
        link.connectNow();
        QTRY_VERIFY_WITH_TIMEOUT(link.ready(), kWaitMs);
        Experiment longRun = smallLayer();
        longRun.steps = 100000;
        link.send(RunCommand{"long", allOptions(longRun), 0});
        QTRY_VERIFY_WITH_TIMEOUT(steps, kWaitMs);
        // The rank host and two ranks.
        QVERIFY2(m_server.sessionProcesses().size() >= 3,
                 qPrintable(QString::number(m_server.sessionProcesses().size())));
        auto *ssh = link.findChild<QProcess *>();
        QVERIFY(ssh && ssh->processId() > 0);
        QElapsedTimer clock;
        clock.start();
        QCOMPARE(kill(static_cast<pid_t>(ssh->processId()), SIGKILL), 0);
        QTRY_VERIFY_WITH_TIMEOUT(
            !reason.isEmpty() && m_server.sessionProcesses().isEmpty() && m_server.sessionServers().isEmpty(), kWaitMs);
        qInfo("nothing is left on either side after %lld ms", clock.elapsed());
        QVERIFY2(clock.elapsed() <= kGoneMs, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(reason, QStringLiteral("The connection to loop was lost: ssh was killed"));
    }

private:
    SshServer m_server;
};

QTEST_GUILESS_MAIN(TestRemoteRun)
#include "tst_remote_run.moc"
