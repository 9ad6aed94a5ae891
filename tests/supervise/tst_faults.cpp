// SPDX-License-Identifier: MIT
// Every fault that can befall ranks, host or reader is provoked, and each time: the cause is named once, no process is
// left, and the next run works.
#include "tests/supervise/serve_client.h"

#include <QTest>
#include <algorithm>
#include <csignal>
#include <sys/resource.h>

// QVERIFY leaves only the function that it stands in.
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        call;                                                                                                          \
        if (QTest::currentTestFailed())                                                                                \
            return;                                                                                                    \
    } while (false)

namespace shardscope {
namespace {

constexpr int kForever = 100000;

} // namespace

class FaultsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void killedRank_data();
    void killedRank();
    void stoppedRank();
    void stoppedOnlyRank();
    void rankOutOfMemory();
    void tooLargeForMemory();
    void idleRanksMakeRoom();
    void rankThatThrows();
    void rankThatLeaves();
    void rankThatComputesForEver();
    void onlyRankThatComputesForEver();
    void onlyRankThatSleepsAsTold();
    void rankThatTalksNonsense();
    void rankThatDiesWhileIdle();
    void rankThatStopsWhileIdle();
    void readerGoesAway();
    void inputEnds();
    void parentIsKilled();
    void hostIsKilled();
    void frontIsKilled();

private:
    static bool startLongRun(ServeClient &client, int ranks, const char *timeout = "10");
    static void checkFailed(ServeClient &client, int rank, TextId cause);
    static void checkNextRunWorks(ServeClient &client, int ranks);
};

bool FaultsTest::startLongRun(ServeClient &client, int ranks, const char *timeout)
{
    client.send(runOf("long", ranks, kForever, timeout));
    return client.readUntil([&] { return client.all<SpanEvent>().size() >= static_cast<std::size_t>(8 * ranks); });
}

void FaultsTest::checkFailed(ServeClient &client, int rank, TextId cause)
{
    const auto isEndOfIt = [](const EndEvent &end) { return end.id == "long"; };
    QVERIFY(client.readUntil([&] { return std::ranges::any_of(client.all<EndEvent>(), isEndOfIt); }));
    const EndEvent end = client.all<EndEvent>().back();
    QCOMPARE(end.status, EndEvent::Status::Failed);
    QCOMPARE(end.exitCode, 4);
    const auto errors = client.errors();
    QCOMPARE(errors.size(), std::size_t{1});
    QCOMPARE(english(errors[0].text), fillPlaceholders(englishTemplate(cause), errors[0].text.args));
    QCOMPARE(errors[0].rank, rank);
    QVERIFY(errors[0].remedy.id != TextId::NoReason);
    // The end comes when the ranks are gone, not before.
    QVERIFY(ranksOf(client.pid()).empty());
}

void FaultsTest::checkNextRunWorks(ServeClient &client, int ranks)
{
    const std::size_t before = client.all<EndEvent>().size();
    client.send(runOf("next", ranks, 5));
    QVERIFY(client.readEnds(before + 1));
    QCOMPARE(client.all<EndEvent>().back().id, std::string("next"));
    QCOMPARE(client.all<EndEvent>().back().status, EndEvent::Status::Done);
    QCOMPARE(client.problems(), 0);
}

void FaultsTest::killedRank_data()
{
    QTest::addColumn<int>("fault");
    QTest::addColumn<int>("rank");
    QTest::addColumn<QString>("signal");
    QTest::addColumn<int>("cause");
    const auto perhapsMemory = static_cast<int>(TextId::RankKilledPerhapsMemory);
    QTest::newRow("SIGKILL, first") << static_cast<int>(Fault::Kill) << 0 << "signal 9 (SIGKILL)" << perhapsMemory;
    QTest::newRow("SIGKILL, last") << static_cast<int>(Fault::Kill) << 3 << "signal 9 (SIGKILL)" << perhapsMemory;
    QTest::newRow("SIGSEGV") << static_cast<int>(Fault::Crash) << 2 << "signal 11 (SIGSEGV)"
                             << static_cast<int>(TextId::RankKilled);
}

void FaultsTest::killedRank()
{
    QFETCH(int, fault);
    QFETCH(int, rank);
    QFETCH(QString, signal);
    QFETCH(int, cause);
    ServeClient client;
    QVERIFY(startLongRun(client, 4));
    const auto victim = rankOfHost(client.pid(), rank);
    QVERIFY(victim.has_value());
    QVERIFY(provoke(static_cast<Fault>(fault), victim->pid));
    CHECK(checkFailed(client, rank, static_cast<TextId>(cause)));
    QCOMPARE(client.errors()[0].text.args.at(1), signal.toStdString());
    CHECK(checkNextRunWorks(client, 4));
}

void FaultsTest::stoppedRank()
{
    ServeClient client;
    QVERIFY(startLongRun(client, 4, "2"));
    QVERIFY(provoke(Fault::Stop, rankOfHost(client.pid(), 2)->pid));
    CHECK(checkFailed(client, 2, TextId::RankStopped));
    QCOMPARE(client.errors()[0].text.args.at(1), std::string("2"));
    QVERIFY(client.errors()[0].detail.find("imed out") != std::string::npos);
    CHECK(checkNextRunWorks(client, 4));
}

void FaultsTest::stoppedOnlyRank()
{
    // Nobody waits for it, so only the supervisor's own deadline is left.
    ServeClient client;
    QVERIFY(startLongRun(client, 1, "0.5"));
    QVERIFY(provoke(Fault::Stop, rankOfHost(client.pid(), 0)->pid));
    CHECK(checkFailed(client, 0, TextId::RankStopped));
    CHECK(checkNextRunWorks(client, 1));
}

void FaultsTest::rankOutOfMemory()
{
#ifdef SHARDSCOPE_SANITIZED
    QSKIP("the sanitizer ends a process without memory by itself");
#endif
    ServeClient client;
    RunCommand small = runOf("small", 4, 5);
    small.experiment["hidden"] = "64";
    client.send(small);
    QVERIFY(client.readEnds(1));
    QVERIFY(provoke(Fault::OutOfMemory, rankOfHost(client.pid(), 1)->pid));
    RunCommand large = runOf("long", 4, 5);
    large.experiment["hidden"] = "2048";
    client.send(large);
    CHECK(checkFailed(client, 1, TextId::RankOutOfMemory));
    const std::string &detail = client.errors()[0].detail; // LibTorch has words of its own
    QVERIFY(detail.find("bad_alloc") != std::string::npos || detail.find("allocate memory") != std::string::npos);
    CHECK(checkNextRunWorks(client, 4));
}

void FaultsTest::tooLargeForMemory()
{
    ServeClient client;
    RunCommand giant = runOf("giant", 2, 5);
    giant.experiment["hidden"] = "1000000";
    client.send(giant);
    QVERIFY(client.readEnds(1));
    QCOMPARE(client.all<EndEvent>()[0].exitCode, 2);
    QCOMPARE(client.all<EndEvent>()[0].id, std::string("giant"));
    QCOMPARE(textName(client.errors().at(0).text.id), textName(TextId::MemoryRefused));
    QVERIFY(client.all<RunEvent>().empty());
    QVERIFY(ranksOf(client.pid()).empty()); // refused before any rank was started
    CHECK(checkNextRunWorks(client, 2));
}

void FaultsTest::idleRanksMakeRoom()
{
    ServeClient client;
    client.send(runOf("small", 4, 5));
    QVERIFY(client.readEnds(1));
    QCOMPARE(ranksOf(client.pid()).size(), std::size_t{4});
    RunCommand giant = runOf("giant", 2, 5);
    giant.experiment["hidden"] = "1000000";
    client.send(giant);
    QVERIFY(client.readEnds(2));
    QCOMPARE(client.all<EndEvent>()[1].exitCode, 2);
    QCOMPARE(textName(client.errors().at(0).text.id), textName(TextId::MemoryRefused));
    QVERIFY(ranksOf(client.pid()).empty()); // what they held was counted as available before the answer was no
    CHECK(checkNextRunWorks(client, 4));
}

void FaultsTest::rankThatThrows()
{
    ServeClient client(QStringLiteral("throw:1"));
    client.send(runOf("long", 4, kForever));
    CHECK(checkFailed(client, 1, TextId::RankFailed));
    QCOMPARE(client.errors()[0].text.args.at(1), std::string("the matrix is upside down"));
}

void FaultsTest::rankThatLeaves()
{
    ServeClient client(QStringLiteral("leave:2"));
    client.send(runOf("long", 4, kForever));
    CHECK(checkFailed(client, 2, TextId::RankLeft));
    QCOMPARE(client.errors()[0].text.args.at(1), std::string("7"));
}

void FaultsTest::rankThatComputesForEver()
{
    ServeClient client(QStringLiteral("spin:1"));
    client.send(runOf("long", 4, kForever, "0.5"));
    CHECK(checkFailed(client, 1, TextId::RankSilent));
}

void FaultsTest::onlyRankThatComputesForEver()
{
    // Nobody waits for it, and it is busy: only the limit to work without a word is left.
    ServeClient client(QStringLiteral("spin:0"));
    client.send(runOf("long", 1, kForever, "0.5"));
    CHECK(checkFailed(client, 0, TextId::RanksSilent));
    QVERIFY(std::stoi(client.errors()[0].text.args.at(0)) >= 3); // the limit that was passed, not a collective's
}

void FaultsTest::onlyRankThatSleepsAsTold()
{
    ServeClient client;
    RunCommand late = runOf("late", 1, 1, "0.5");
    late.experiment["warmup"] = "0";
    late.experiment["delay"] = "0:2500";
    client.send(late);
    QVERIFY(client.readEnds(1));
    QCOMPARE(client.all<EndEvent>()[0].status, EndEvent::Status::Done);
}

void FaultsTest::rankThatTalksNonsense()
{
    ServeClient client(QStringLiteral("say:1"));
    client.send(runOf("long", 2, 5));
    QVERIFY(client.readEnds(1));
    QCOMPARE(client.all<EndEvent>()[0].status, EndEvent::Status::Done);
    const auto messages = client.all<MessageEvent>();
    QCOMPARE(messages.size(), std::size_t{1});
    QCOMPARE(messages[0].level, MessageEvent::Level::Warning);
    QCOMPARE(messages[0].rank, 1);
    QCOMPARE(client.problems(), 0); // the line itself does not pass
}

void FaultsTest::rankThatDiesWhileIdle()
{
    ServeClient client;
    client.send(runOf("first", 4, 5));
    QVERIFY(client.readEnds(1));
    const auto family = ranksOf(client.pid());
    QCOMPARE(family.size(), std::size_t{4});
    QVERIFY(provoke(Fault::Kill, rankOfHost(client.pid(), 1)->pid));
    QVERIFY(allEnd(family));
    CHECK(checkNextRunWorks(client, 4));
    QVERIFY(client.errors().empty());
}

void FaultsTest::rankThatStopsWhileIdle()
{
    ServeClient client;
    client.send(runOf("first", 4, 5));
    QVERIFY(client.readEnds(1));
    const auto family = ranksOf(client.pid());
    QVERIFY(provoke(Fault::Stop, rankOfHost(client.pid(), 1)->pid));
    QVERIFY(allEnd(family)); // nobody waits for it when the next command comes
    CHECK(checkNextRunWorks(client, 4));
    QVERIFY(client.errors().empty());
}

void FaultsTest::readerGoesAway()
{
    // sleep never reads; when it leaves, the host's next line meets a broken pipe.
    QProcess shell;
    shell.start(QStringLiteral("/bin/sh"),
                {QStringLiteral("-c"), QStringLiteral("\"$0\" serve | sleep 5"), hostProgram()});
    QVERIFY(shell.waitForStarted());
    shell.write(QByteArray::fromStdString(encode(Command(runOf("long", 4, kForever)))));
    std::vector<ProcessFacts> family;
    QTRY_VERIFY_WITH_TIMEOUT((family = familyOf(static_cast<pid_t>(shell.processId()), 2)).size() >= 7, 20000);
    QVERIFY(allEnd(family));
    shell.waitForFinished();
}

void FaultsTest::inputEnds()
{
    ServeClient client;
    QVERIFY(startLongRun(client, 4));
    const auto family = familyOf(client.pid());
    client.closeInput();
    QVERIFY(client.waitForEnd());
    QVERIFY(allEnd(family));
    QCOMPARE(client.process().exitCode(), 130);
    QCOMPARE(client.all<EndEvent>().back().status, EndEvent::Status::Cancelled);
}

void FaultsTest::parentIsKilled()
{
    // The shell dies while this test still holds the input open: only the parent-death signal is left.
    QProcess shell;
    const QString script = QStringLiteral("exec 3<&0; \"$0\" serve <&3 & echo $! >&2; wait");
    shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), script, hostProgram()});
    QVERIFY(shell.waitForReadyRead());
    shell.setReadChannel(QProcess::StandardError);
    QTRY_VERIFY(shell.canReadLine() || shell.waitForReadyRead(100));
    const auto host = static_cast<pid_t>(shell.readLine().trimmed().toInt());
    shell.write(QByteArray::fromStdString(encode(Command(runOf("long", 4, kForever)))));
    QTRY_COMPARE_WITH_TIMEOUT(ranksOf(host).size(), std::size_t{4}, 20000);
    const auto family = familyOf(host);
    QVERIFY(::kill(static_cast<pid_t>(shell.processId()), SIGKILL) == 0);
    QVERIFY(allEnd(family));
    shell.waitForFinished();
}

void FaultsTest::hostIsKilled()
{
    ServeClient client;
    QVERIFY(startLongRun(client, 4));
    const auto family = familyOf(client.pid());
    QVERIFY(::kill(client.pid(), SIGKILL) == 0);
    QVERIFY(allEnd(family));
}

void FaultsTest::frontIsKilled()
{
    qputenv("SHARDSCOPE_RANK_HOST", hostProgram().toUtf8());
    QProcess front;
    front.start(QStringLiteral(SCRIPTED_FRONT), {});
    QVERIFY(front.waitForReadyRead());
    const auto host = static_cast<pid_t>(front.readLine().trimmed().toInt());
    QTRY_COMPARE_WITH_TIMEOUT(ranksOf(host).size(), std::size_t{4}, 20000);
    auto family = familyOf(host);
    QCOMPARE(family.size(), std::size_t{5});
    QVERIFY(::kill(static_cast<pid_t>(front.processId()), SIGKILL) == 0);
    QVERIFY(allEnd(family));
    front.waitForFinished();
}

} // namespace shardscope

QTEST_GUILESS_MAIN(shardscope::FaultsTest)
#include "tst_faults.moc"
