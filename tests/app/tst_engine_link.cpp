// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_link.h"

#include "engine/plan/experiment_options.h"

#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

namespace {

const QString kEngine = QStringLiteral(SHARDSCOPE_FAKE_ENGINE);

RunCommand smallRun(const std::string &id)
{
    return {id, allOptions(Experiment{}), 2};
}

/// Collects what a link says.
struct Listener {
    explicit Listener(EngineLink &link)
    {
        QObject::connect(&link, &EngineLink::eventReceived, [this](const Event &event) {
            hellos += std::holds_alternative<HelloEvent>(event);
            spans += std::holds_alternative<SpanEvent>(event);
            if (const auto *end = std::get_if<EndEvent>(&event))
                ends.push_back(*end);
        });
        QObject::connect(&link, &EngineLink::engineEnded, [this](const QString &reason) { endings << reason; });
        QObject::connect(&link, &EngineLink::lineRejected,
                         [this](int line, const Text &) { rejected.push_back(line); });
    }
    int hellos = 0;
    int spans = 0;
    std::vector<EndEvent> ends;
    QStringList endings;
    std::vector<int> rejected;
};

} // namespace

class TestEngineLink : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { qputenv("SHARDSCOPE_FAKE_MODE", ""); }

    void startsWithTheFirstCommand()
    {
        EngineLink link(kEngine);
        Listener heard(link);
        QVERIFY(!link.running());
        link.send(smallRun("a"));
        QTRY_COMPARE(heard.ends.size(), 1u);
        QCOMPARE(heard.hellos, 1);
        QVERIFY(heard.spans > 0);
        QCOMPARE(heard.ends.front().id, std::string("a"));
        QVERIFY(heard.endings.isEmpty());
        QVERIFY(link.running());
    }

    void aProgramThatIsNotThereIsSaid()
    {
        EngineLink link(QStringLiteral("/nonexistent/engine"));
        Listener heard(link);
        link.send(smallRun("a"));
        QTRY_COMPARE(heard.endings.size(), 1);
        QVERIFY(heard.endings.front().contains(QStringLiteral("/nonexistent/engine")));
        QVERIFY(!link.running());
    }

    void itsEndIsSaidWithTheCause_data()
    {
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<QString>("words");
        QTest::newRow("crash") << QByteArray("crash") << QStringLiteral("crashed");
        QTest::newRow("exit 7") << QByteArray("exit7") << QStringLiteral("exit status 7");
    }
    void itsEndIsSaidWithTheCause()
    {
        QFETCH(QByteArray, mode);
        QFETCH(QString, words);
        qputenv("SHARDSCOPE_FAKE_MODE", mode);
        EngineLink link(kEngine);
        Listener heard(link);
        link.send(smallRun("a"));
        QTRY_COMPARE(heard.endings.size(), 1);
        QVERIFY2(heard.endings.front().contains(words), qPrintable(heard.endings.front()));
        QVERIFY(link.log().contains(QStringLiteral("fake engine ready")));
    }

    void badLinesAreReportedAndTheRestIsRead()
    {
        qputenv("SHARDSCOPE_FAKE_MODE", "garbage");
        EngineLink link(kEngine);
        Listener heard(link);
        link.send(smallRun("a"));
        QTRY_COMPARE(heard.ends.size(), 1u);
        QVERIFY(heard.rejected.size() >= 2);
        QVERIFY(heard.spans > 0);
    }

    void restartGivesAFreshEngine()
    {
        qputenv("SHARDSCOPE_FAKE_MODE", "hang");
        EngineLink link(kEngine);
        Listener heard(link);
        link.send(smallRun("a"));
        QTRY_COMPARE(heard.hellos, 1);
        qputenv("SHARDSCOPE_FAKE_MODE", "");
        link.restart();
        link.send(smallRun("b"));
        QTRY_COMPARE(heard.ends.size(), 1u);
        QCOMPARE(heard.ends.front().id, std::string("b"));
        QVERIFY2(heard.endings.isEmpty(), "an engine that was sent away is no failure");
    }

    void nothingIsLeftOfAnEngineThatDoesNotListen()
    {
        qputenv("SHARDSCOPE_FAKE_MODE", "deaf");
        auto link = std::make_unique<EngineLink>(kEngine);
        Listener heard(*link);
        link->send(smallRun("a"));
        QTRY_COMPARE(heard.hellos, 1);
        auto *process = link->findChild<QProcess *>();
        QVERIFY(process);
        const QString pid = QString::number(process->processId());
        link.reset();
        QVERIFY(!QFileInfo::exists(QStringLiteral("/proc/%1/exe").arg(pid)));
    }
};

QTEST_GUILESS_MAIN(TestEngineLink)
#include "tst_engine_link.moc"
