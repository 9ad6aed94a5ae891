// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/machine_monitor.h"

#include "app/window_wiring.h"
#include "tests/app/own_config_folder.h"
#include "tests/app/session_setup.h"
#include "ui/pages/hardware_page.h"
#include "ui/pages/page_stack.h"

#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

namespace {

using State = EngineMachine::State;

struct Setup : tests::SessionSetup {
    explicit Setup(const char *mode) : SessionSetup(mode), monitor(link) { session.setAutoRun(false); }
    MachineMonitor monitor;
};

} // namespace

class TestMachineMonitor : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_style = new AppStyle;
        QApplication::setStyle(m_style);
    }
    void init()
    {
        QVERIFY(m_config.isValid());
        m_config.clear();
    }

    void theMachineIsKnownBeforeAnyRun()
    {
        Setup setup("machine");
        QVERIFY(setup.monitor.machine().state == State::NotStarted);
        setup.session.startEngine();
        setup.monitor.follow();
        QVERIFY(setup.monitor.machine().state == State::Asked);
        QTRY_VERIFY(setup.monitor.machine().state == State::Told);
        QCOMPARE(setup.monitor.machine().topology->gpus.size(), std::size_t{2});
        QCOMPARE(setup.monitor.machine().title, QStringLiteral("2 cores, fake"));
        QVERIFY(setup.monitor.machine().loads.empty());
        QCOMPARE(setup.sent("run"), 0);
    }

    void loadsComeWithRunsAndRestAfterThem()
    {
        Setup setup("machine");
        setup.session.runNow();
        QTRY_VERIFY(!setup.monitor.machine().loads.empty());
        QVERIFY(setup.monitor.machine().computing);
        QTRY_VERIFY(setup.idle());
        QTRY_VERIFY(!setup.monitor.machine().computing);
        QCOMPARE(setup.monitor.machine().loads.back().load.cpuPercent, 90.0);
        // The run keeps what its machine was made of; loads are of the moment.
        const RunPtr run = setup.session.results().measured.begin()->second;
        QVERIFY(run->topology && run->topology == setup.monitor.machine().topology);
    }

    void anOlderEngineSaysNothing()
    {
        Setup setup("");
        setup.monitor.setPatience(std::chrono::milliseconds(50));
        setup.session.startEngine();
        QTRY_VERIFY(setup.monitor.machine().state == State::Silent);
        QCOMPARE(setup.monitor.machine().engineVersion, QStringLiteral("fake"));
    }

    /// Its machine is the same as before, but nobody computes there.
    void anEngineThatEnds()
    {
        Setup setup("crash");
        setup.session.startEngine();
        setup.monitor.follow();
        setup.session.runNow();
        QTRY_VERIFY(setup.monitor.machine().state == State::NotStarted);
        QVERIFY(!setup.monitor.machine().computing);
        // Only the user starts it again.
        setup.session.startEngine();
        QVERIFY(!setup.link.running());
    }

    void anotherMachineIsAnotherPicture()
    {
        Setup setup("machine");
        setup.session.startEngine();
        QTRY_VERIFY(setup.monitor.machine().state == State::Told);
        setup.link.setRemote(QStringLiteral("me@gpu1"));
        setup.monitor.follow();
        QVERIFY(!setup.monitor.machine().topology);
        QCOMPARE(setup.monitor.machine().name, QStringLiteral("gpu1"));
        setup.link.setRemote({});
    }

    void thePageAsksAndShows()
    {
        qputenv("SHARDSCOPE_FAKE_MODE", "machine");
        Arguments arguments;
        arguments.engine = tests::kEngine;
        WindowWiring wiring(arguments, *m_style);
        wiring.session().setAutoRun(false);
        QVERIFY(!wiring.link().running());
        wiring.window().pages().showPage(PageId::Hardware);
        QVERIFY(wiring.link().running());
        const Page &page = *wiring.window().pages().page(PageId::Hardware);
        QTRY_VERIFY2(page.picture().finding.contains(QStringLiteral("Fake")), qPrintable(page.picture().finding));
        wiring.session().runNow();
        const auto shows = [&](const QString &words) {
            for (const PageSpot &spot : page.picture().spots({0, 0, 1240, 680}, 1)) {
                if (spot.details.contains(words))
                    return true;
            }
            return false;
        };
        QTRY_VERIFY(shows(QStringLiteral("Something else uses 20 %")));
        QTRY_VERIFY(shows(QStringLiteral("Last run.")));
        QVERIFY(!page.exported().spots({0, 0, 1240, 680}, 1).empty());
    }

    /// Another page has no reason to start anything.
    void otherPagesDoNotAsk()
    {
        qputenv("SHARDSCOPE_FAKE_MODE", "machine");
        Arguments arguments;
        arguments.engine = tests::kEngine;
        WindowWiring wiring(arguments, *m_style);
        wiring.window().pages().showPage(PageId::Memory);
        QVERIFY(!wiring.link().running());
    }

private:
    AppStyle *m_style = nullptr;
    tests::OwnConfigFolder m_config;
};

QTEST_MAIN(TestMachineMonitor)
#include "tst_machine_monitor.moc"
