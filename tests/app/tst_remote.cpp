// SPDX-License-Identifier: GPL-3.0-or-later
// The window with its engine behind a real sshd on the loopback interface, which answers by script: how it gets in.
#include "app/settings.h"
#include "tests/app/remote_window.h"
#include "ui/export/provenance.h"

using namespace shardscope;
using namespace shardscope::tests;

class TestRemote : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_fixture = std::make_unique<tests::RemoteFixture>(); }
    void init() { m_fixture->begin(); }
    void cleanup() { m_fixture->end(); }
    void cleanupTestCase() { m_fixture.reset(); }

    void aKeyConnectsAndEveryNumberSaysWhere()
    {
        RemoteWindow window(m_fixture->style());
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
        QVERIFY(!window.dialog());
        QCOMPARE(window.run().machine.remote, std::string("loop"));
        const QString footer = provenance(&window.run(), window.session().experiment(), {});
        QVERIFY2(footer.contains(QStringLiteral(" on loop (2 cores, fake)")), qPrintable(footer));
        const RunStatus status = window.session().status();
        QVERIFY2(status.text.contains(QStringLiteral("cores of loop, measured ")), qPrintable(status.text));
        QVERIFY2(status.honesty.startsWith(QStringLiteral("On loop: ")), qPrintable(status.honesty));
        QVERIFY(window.wiring->window().windowTitle().endsWith(kLoop));
        // What is predicted for the machine that measured is not for this one.
        const RunPtr predicted = window.session().results().predicted.at(Phase::Training);
        QCOMPARE(predicted->machine.host, std::string("loop: 2 cores, fake"));
        QVERIFY(window.wiring->window().close());
        QCOMPARE(Settings::load().hosts, QStringList{kLoop});
        QVERIFY2(Settings::load().thisMachine.isEmpty(), "another machine's speed is not this one's");
    }

    void backToThisMachine()
    {
        RemoteWindow window(m_fixture->style());
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
        WindowActions &actions = window.wiring->window().actions();
        QVERIFY(actions.useThisMachine->isEnabled());
        actions.useThisMachine->trigger();
        QVERIFY2(window.session().results().measured.empty(), "numbers of two machines stand in no comparison");
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
        QCOMPARE(window.run().machine.remote, std::string());
        QCOMPARE(window.wiring->window().windowTitle(), QStringLiteral("Shardscope"));
        QVERIFY(!actions.useThisMachine->isEnabled());
        QTRY_VERIFY(m_fixture->server().sessionProcesses().isEmpty());
    }

    void aPassphraseIsAskedOnce()
    {
        m_fixture->server().useKey(SshServer::Key::WithPassphrase);
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.asks(QStringLiteral("Enter passphrase for key")), kWaitMs);
        QCOMPARE(window.session().status().text, QStringLiteral("Connecting to loop"));
        window.answer(QString::fromLatin1(SshServer::kPassphrase));
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
        QVERIFY(!window.dialog());
        QVERIFY(!window.link()->log().contains(QLatin1String(SshServer::kPassphrase)));
    }

    void aWrongPassphraseIsAskedAgain()
    {
        m_fixture->server().useKey(SshServer::Key::WithPassphrase);
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.dialog(), kWaitMs);
        QVERIFY(!window.asks(QStringLiteral("not accepted")));
        window.answer(QStringLiteral("wrong"));
        QTRY_VERIFY_WITH_TIMEOUT(window.asks(QStringLiteral("not accepted")), kWaitMs);
        window.answer(QString::fromLatin1(SshServer::kPassphrase));
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
    }

    void aDialogThatIsCancelledEndsTheAttempt()
    {
        m_fixture->server().useKey(SshServer::Key::WithPassphrase);
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.dialog(), kWaitMs);
        RemoteWindow::press(*window.dialog(), QStringLiteral("Cancel"));
        QVERIFY2(window.message().contains(QStringLiteral("Not connected to loop: cancelled")),
                 qPrintable(window.message()));
        QTRY_VERIFY(sshClients().isEmpty());
        QVERIFY(!window.dialog());
        RemoteWindow::press(window.wiring->window().messageBar(), QStringLiteral("Retry"));
        QTRY_VERIFY_WITH_TIMEOUT(window.dialog(), kWaitMs);
    }

    void anUnknownHostKeyIsShownAndAccepted()
    {
        m_fixture->server().setKnown(SshServer::Knows::Nothing);
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.dialog(), kWaitMs);
        QVERIFY(m_fixture->server().fingerprint().startsWith(QStringLiteral("SHA256:")));
        QVERIFY(window.asks(m_fixture->server().fingerprint()));
        RemoteWindow::press(*window.dialog(), QStringLiteral("Yes, connect"));
        QVERIFY2(window.becomesMeasured(), qPrintable(window.message()));
        QVERIFY(m_fixture->server().knownHosts().contains(QStringLiteral("ssh-ed25519")));
    }

    void anUnknownHostKeyIsRefused()
    {
        m_fixture->server().setKnown(SshServer::Knows::Nothing);
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.dialog(), kWaitMs);
        RemoteWindow::press(*window.dialog(), QStringLiteral("No"));
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("The host key of loop was not accepted")),
                                 kWaitMs);
        QVERIFY(m_fixture->server().knownHosts().isEmpty());
        QVERIFY(buttonWith(window.wiring->window().messageBar(), QStringLiteral("Back to this machine")));
    }

    void aChangedHostKeyIsAnErrorAndNoQuestion()
    {
        m_fixture->server().setKnown(SshServer::Knows::AnotherKey);
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(
            window.message().contains(QStringLiteral("The host key of loop has changed, and ssh refuses")), kWaitMs);
        QVERIFY2(window.message().contains(QStringLiteral("has changed and you have requested strict checking")),
                 qPrintable(window.message()));
        QVERIFY(window.message().contains(QStringLiteral("ssh-keygen")));
        QVERIFY(!window.dialog());
    }

    void whoIsNotLetInIsTold()
    {
        m_fixture->server().useKey(SshServer::Key::None);
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("This user was not let in by loop")),
                                 kWaitMs);
        QVERIFY(window.message().contains(QStringLiteral("Permission denied (publickey)")));
    }

    void nobodyListens()
    {
        RemoteWindow window(m_fixture->style(), QStringLiteral("closed"));
        QTRY_VERIFY_WITH_TIMEOUT(window.message().contains(QStringLiteral("No connection to closed")), kWaitMs);
        QVERIFY(window.message().contains(QStringLiteral("Connection refused")));
        QVERIFY2(Settings::load().hosts.isEmpty(), "what was never reached is not offered again");
    }

    void noSshHere()
    {
        const QByteArray before = qgetenv("SHARDSCOPE_SSH");
        qputenv("SHARDSCOPE_SSH", "/nonexistent/ssh -v");
        RemoteWindow window(m_fixture->style());
        QTRY_VERIFY_WITH_TIMEOUT(
            window.message().contains(QStringLiteral("The ssh command could not be started: /nonexistent/ssh")),
            kWaitMs);
        qputenv("SHARDSCOPE_SSH", before);
    }

    void anExportMeasuresThere()
    {
        const QString file = m_fixture->folder.filePath(QStringLiteral("there.svg"));
        QProcess program;
        program.start(QStringLiteral(SHARDSCOPE_PROGRAM),
                      {QStringLiteral("--export"), QStringLiteral("timeline"), QStringLiteral("--output"), file,
                       QStringLiteral("--remote"), kLoop});
        QVERIFY(program.waitForFinished(2 * kWaitMs));
        QCOMPARE(QString::fromUtf8(program.readAllStandardError()), QString());
        QCOMPARE(program.exitCode(), 0);
        QFile picture(file);
        QVERIFY(picture.open(QIODevice::ReadOnly));
        const QByteArray drawn = picture.readAll();
        QVERIFY(drawn.contains("measured on loop"));
        QVERIFY(!drawn.contains("measured here"));
        m_fixture->server().stop();
        program.start(QStringLiteral(SHARDSCOPE_PROGRAM),
                      {QStringLiteral("--export"), QStringLiteral("timeline"), QStringLiteral("--output"), file,
                       QStringLiteral("--remote"), kLoop});
        QVERIFY(program.waitForFinished(2 * kWaitMs));
        QCOMPARE(program.exitCode(), 4);
        const QString error = QString::fromUtf8(program.readAllStandardError());
        QVERIFY2(error.startsWith(QStringLiteral("shardscope: No connection to loop")) &&
                     error.count(QLatin1Char('\n')) == 1,
                 qPrintable(error));
    }

    void theHelperAsksNobodyElse()
    {
        QProcess helper;
        const QString program =
            QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("shardscope-askpass"));
        helper.start(program, {QStringLiteral("password:")});
        QVERIFY(helper.waitForFinished(kWaitMs));
        QCOMPARE(helper.exitCode(), 2);
        QVERIFY(helper.readAllStandardOutput().isEmpty());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("SHARDSCOPE_ASKPASS_SOCKET"),
                           m_fixture->folder.filePath(QStringLiteral("nobody")));
        helper.setProcessEnvironment(environment);
        helper.start(program, {QStringLiteral("password:")});
        QVERIFY(helper.waitForFinished(kWaitMs));
        QCOMPARE(helper.exitCode(), 1);
        QVERIFY(helper.readAllStandardOutput().isEmpty());
    }

private:
    std::unique_ptr<tests::RemoteFixture> m_fixture;
};

QTEST_MAIN(TestRemote)
#include "tst_remote.moc"
