// SPDX-License-Identifier: MIT
// The protocol of `serve`: what comes in which order, which ranks live on, how commands queue, cancel and end.
#include "tests/supervise/serve_client.h"

#include "engine/supervise/machine_facts.h"

#include <QDateTime>
#include <QDir>
#include <QTemporaryFile>
#include <QTest>
#include <algorithm>
#include <clocale>
#include <map>
#include <set>

namespace shardscope {
namespace {

constexpr int kForever = 100000;

std::set<pid_t> pidsOf(const ServeClient &client)
{
    std::set<pid_t> pids;
    for (const ProcessFacts &rank : ranksOf(client.pid()))
        pids.insert(rank.pid);
    return pids;
}

bool runToEnd(ServeClient &client, const RunCommand &command)
{
    const std::size_t before = client.all<EndEvent>().size();
    client.send(command);
    return client.readEnds(before + 1) && client.all<EndEvent>().back().status == EndEvent::Status::Done;
}

} // namespace

class ServeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void oneRun_data();
    void oneRun();
    void optionsAreResolved();
    void theMachineIsTold();
    void ranksLiveOn();
    void runsQueue();
    void cancelEndsAtOnce();
    void cancelClearsTheQueue();
    void cancelByIdEndsThatOneOnly();
    void moreThreadsThanCoresAreRefused();
    void cancelWhileIdle();
    void quitFinishesFirst();
    void badLine_data();
    void badLine();
    void badExperiment();
    void endlessLine();
    void slowReader();
    void terminatedWhileIdle();
    void descriptorsAreClosed();
    void outputToAFile();
};

void ServeTest::initTestCase()
{
    // What Qt programs do to the C library; the stream must not care.
    if (qgetenv("LC_ALL").startsWith("de_DE"))
        QVERIFY(std::setlocale(LC_ALL, ""));
}

void ServeTest::oneRun_data()
{
    QTest::addColumn<int>("ranks");
    for (const int ranks : {1, 2, 4, 8})
        QTest::addRow("N = %d", ranks) << ranks;
}

void ServeTest::oneRun()
{
    QFETCH(int, ranks);
    ServeClient client;
    QVERIFY(runToEnd(client, runOf("a", ranks, 5)));
    const auto &events = client.events();
    QVERIFY(std::holds_alternative<HelloEvent>(events.front()));
    // What the machine is made of may be known before the first run.
    QVERIFY(std::holds_alternative<RunEvent>(events.at(std::holds_alternative<TopologyEvent>(events.at(1)) ? 2 : 1)));
    QVERIFY(std::holds_alternative<EndEvent>(events.back()));
    QCOMPARE(client.all<EndEvent>().size(), std::size_t{1}); // one, not one per rank
    QCOMPARE(client.all<EndEvent>()[0].id, std::string("a"));
    QVERIFY(client.all<EndEvent>()[0].elapsedNs > 0);
    // Every rank's events have arrived, in its own order.
    for (int rank = 0; rank < ranks; ++rank) {
        auto spans = client.all<SpanEvent>();
        std::erase_if(spans, [&](const SpanEvent &span) { return span.rank != rank; });
        std::set<int> iterations;
        for (const SpanEvent &span : spans)
            iterations.insert(span.iteration);
        QCOMPARE(iterations.size(), std::size_t{8}); // 3 warm-ups
        QVERIFY(std::ranges::is_sorted(spans, {}, &SpanEvent::iteration));
    }
}

void ServeTest::optionsAreResolved()
{
    ServeClient client;
    QVERIFY(runToEnd(client, runOf("a", 4, 5)));
    const RunEvent run = client.all<RunEvent>().at(0);
    QCOMPARE(run.source, Source::Measured);
    QCOMPARE(run.experiment.at("threads"), std::to_string(defaultThreads(4)));
    QCOMPARE(run.experiment.at("backend"), std::string("cpu"));
    QCOMPARE(run.experiment.at("ffn"), std::string("1024"));
    QCOMPARE(run.machine.devices.size(), std::size_t{4});
    QCOMPARE(run.machine.notes.at(0), english(ranksOnCores(4, allowedCores())));
    // 2025-03-01T14:05:09+01:00
    QVERIFY(QDateTime::fromString(QString::fromStdString(run.startedAt), Qt::ISODate).isValid());
    QVERIFY(run.startedAt.at(run.startedAt.size() - 3) == ':');
}

/// What it is made of after the hello and with each run, how busy it is while ranks compute, and nothing in between.
void ServeTest::theMachineIsTold()
{
    ServeClient client;
    QVERIFY(client.readUntil([&] { return !client.all<TopologyEvent>().empty(); }));
    QVERIFY(std::holds_alternative<HelloEvent>(client.events().front()));
    client.send(runOf("a", 2, kForever));
    QVERIFY(client.readUntil([&] { return client.all<LoadEvent>().size() >= 2; }));
    const auto topologies = client.all<TopologyEvent>();
    QCOMPARE(topologies.size(), std::size_t{2});
    QVERIFY(topologies[0] == topologies[1] && !topologies[0].topology.nodes.empty());
    const LoadEvent load = client.all<LoadEvent>().back();
    QVERIFY(load.cpuPercent > 0 && load.cpuPercent <= 100);
    QVERIFY(load.ranksPercent <= load.cpuPercent && load.freeBytes > 0);
    client.send(CancelCommand{});
    QVERIFY(client.readEnds(1));
    QVERIFY(std::holds_alternative<EndEvent>(client.events().back()));
}

void ServeTest::ranksLiveOn()
{
    ServeClient client;
    QVERIFY(runToEnd(client, runOf("a", 4, 3)));
    const auto first = pidsOf(client);
    QCOMPARE(first.size(), std::size_t{4});
    QVERIFY(runToEnd(client, runOf("b", 4, 3)));
    QCOMPARE(pidsOf(client), first);
    QVERIFY(runToEnd(client, runOf("c", 2, 3)));
    const auto second = pidsOf(client);
    QCOMPARE(second.size(), std::size_t{2});
    for (const pid_t pid : second)
        QVERIFY(!first.contains(pid));
}

void ServeTest::runsQueue()
{
    ServeClient client;
    client.send(runOf("a", 2, 20));
    client.send(runOf("b", 4, 3));
    client.send(runOf("c", 4, 3));
    QVERIFY(client.readEnds(3));
    std::string order;
    for (const Event &event : client.events()) {
        if (const auto *run = std::get_if<RunEvent>(&event))
            order += "<" + run->id;
        if (const auto *end = std::get_if<EndEvent>(&event))
            order += end->id + ">";
    }
    QCOMPARE(order, std::string("<aa><bb><cc>"));
}

void ServeTest::cancelEndsAtOnce()
{
    ServeClient client;
    client.send(runOf("a", 4, kForever));
    QVERIFY(client.readUntil([&] { return client.all<SpanEvent>().size() > 20; }));
    client.send(CancelCommand{});
    QVERIFY(client.readEnds(1));
    QCOMPARE(client.all<EndEvent>()[0].status, EndEvent::Status::Cancelled);
    QCOMPARE(client.all<EndEvent>()[0].exitCode, 130);
    QVERIFY(client.errors().empty());
    QVERIFY(runToEnd(client, runOf("b", 4, 3)));
}

void ServeTest::cancelClearsTheQueue()
{
    ServeClient client;
    client.send(runOf("a", 4, kForever));
    client.send(runOf("b", 4, kForever));
    client.send(CancelCommand{});
    client.send(runOf("c", 2, 3));
    QVERIFY(client.readEnds(3));
    std::map<std::string, EndEvent::Status> ends;
    for (const EndEvent &end : client.all<EndEvent>())
        ends[end.id] = end.status;
    QCOMPARE(ends.at("a"), EndEvent::Status::Cancelled);
    QCOMPARE(ends.at("b"), EndEvent::Status::Cancelled);
    QCOMPARE(ends.at("c"), EndEvent::Status::Done);
}

void ServeTest::cancelByIdEndsThatOneOnly()
{
    ServeClient client;
    client.send(runOf("a", 4, kForever));
    client.send(runOf("b", 4, kForever));
    client.send(runOf("c", 2, 3));
    QVERIFY(client.readUntil([&] { return client.all<SpanEvent>().size() > 20; }));
    client.send(CancelCommand{"nobody"});
    QVERIFY(client.readUntil([&] { return !client.all<MessageEvent>().empty(); }));
    QVERIFY(client.all<MessageEvent>()[0].text == (Text{TextId::CancelUnknown, {"nobody"}}));
    QVERIFY(client.errors().empty() && client.all<EndEvent>().empty());
    client.send(CancelCommand{"b"}); // waits
    client.send(CancelCommand{"a"}); // runs
    QVERIFY(client.readEnds(3));
    const auto ends = client.all<EndEvent>();
    QCOMPARE(ends[0].id + ends[1].id + ends[2].id, std::string("bac"));
    QCOMPARE(ends[0].status, EndEvent::Status::Cancelled);
    QCOMPARE(ends[1].status, EndEvent::Status::Cancelled);
    QCOMPARE(ends[2].status, EndEvent::Status::Done);
}

void ServeTest::cancelWhileIdle()
{
    ServeClient client;
    client.send(CancelCommand{});
    QVERIFY(runToEnd(client, runOf("a", 2, 3)));
    client.send(CancelCommand{});
    QVERIFY(runToEnd(client, runOf("b", 2, 3)));
    QCOMPARE(client.all<EndEvent>().size(), std::size_t{2});
}

void ServeTest::moreThreadsThanCoresAreRefused()
{
    ServeClient client;
    RunCommand command = runOf("a", 2, 3);
    command.experiment["threads"] = std::to_string(allowedCores() + 1);
    client.send(command);
    QVERIFY(client.readEnds(1));
    QCOMPARE(client.all<EndEvent>()[0].exitCode, 2);
    QCOMPARE(client.errors().at(0).text.id, TextId::ThreadsTooMany);
    // On every core each is allowed, and said.
    command.experiment["threads"] = std::to_string(allowedCores());
    client.send(command);
    QVERIFY(client.readEnds(2));
    QCOMPARE(client.all<EndEvent>()[1].exitCode, 0);
    const std::vector<std::string> notes = client.all<RunEvent>().at(0).machine.notes;
    const bool said =
        std::ranges::any_of(notes, [](const std::string &note) { return note.starts_with("oversubscribed: 2 ranks"); });
    QCOMPARE(said, allowedCores() > 1);
}

void ServeTest::quitFinishesFirst()
{
    ServeClient client;
    client.send(runOf("a", 2, 20));
    client.send(runOf("b", 2, 3));
    client.send(QuitCommand{});
    client.closeInput();
    QVERIFY(client.waitForEnd());
    QCOMPARE(client.process().exitCode(), 0);
    QCOMPARE(client.all<EndEvent>().size(), std::size_t{2});
    for (const EndEvent &end : client.all<EndEvent>())
        QCOMPARE(end.status, EndEvent::Status::Done);
}

void ServeTest::badLine_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("no JSON") << QByteArray("run please\n");
    QTest::newRow("no command") << QByteArray("{\"id\":\"x\"}\n");
    QTest::newRow("unknown") << QByteArray("{\"command\":\"dance\"}\n");
    QTest::newRow("too many ranks") << QByteArray("{\"command\":\"measure\",\"id\":\"x\",\"ranks\":100000}\n");
}

void ServeTest::badLine()
{
    QFETCH(QByteArray, line);
    ServeClient client;
    client.sendRaw(line);
    QVERIFY(client.readEnds(1));
    QCOMPARE(client.all<EndEvent>()[0].exitCode, 2);
    QCOMPARE(client.errors().size(), std::size_t{1});
    QVERIFY(runToEnd(client, runOf("a", 2, 3)));
}

void ServeTest::badExperiment()
{
    ServeClient client;
    RunCommand command = runOf("a", 2, 3);
    command.experiment["hidden"] = "many";
    client.send(command);
    command = runOf("b", 2, 3);
    command.experiment["backend"] = "cuda";
    client.send(command);
    QVERIFY(client.readEnds(2));
    for (const EndEvent &end : client.all<EndEvent>())
        QCOMPARE(end.exitCode, 2);
    QCOMPARE(client.all<EndEvent>()[0].id, std::string("a"));
    QCOMPARE(client.errors().size(), std::size_t{2});
    QVERIFY(ranksOf(client.pid()).empty());
}

void ServeTest::endlessLine()
{
    ServeClient client;
    client.sendRaw(QByteArray((1 << 20) + 100000, 'x'));
    QVERIFY(client.readEnds(1));
    QCOMPARE(client.all<EndEvent>()[0].exitCode, 2);
    QCOMPARE(textName(client.errors()[0].text.id), textName(TextId::CommandTooLong));
    client.sendRaw("\n");
    QVERIFY(runToEnd(client, runOf("a", 2, 3)));
}

void ServeTest::slowReader()
{
    // Nothing is read here between the run and the end of its ranks, though it writes far more than a pipe holds.
    ServeClient client(QStringLiteral("flood:0"));
    client.send(runOf("a", 2, kForever));
    QTRY_COMPARE_WITH_TIMEOUT(pidsOf(client).size(), std::size_t{2}, 20000);
    const auto ranks = ranksOf(client.pid());
    QTest::qWait(500);
    client.send(CancelCommand{});
    QVERIFY(allEnd(ranks));
    QVERIFY(client.readEnds(1));
    QVERIFY(client.all<SpanEvent>().size() > 1000);
    QCOMPARE(client.problems(), 0);
}

void ServeTest::terminatedWhileIdle()
{
    ServeClient client;
    QVERIFY(runToEnd(client, runOf("a", 4, 3)));
    const auto family = familyOf(client.pid());
    client.process().terminate();
    QVERIFY(client.waitForEnd());
    QCOMPARE(client.process().exitCode(), 0);
    QVERIFY(allEnd(family));
}

void ServeTest::descriptorsAreClosed()
{
    ServeClient client;
    const auto openOf = [](pid_t pid) {
        return QDir(QStringLiteral("/proc/%1/fd").arg(pid))
            .entryList(QDir::System | QDir::Files | QDir::NoDotAndDotDot)
            .size();
    };
    QVERIFY(runToEnd(client, runOf("a", 2, 3)));
    const auto before = openOf(client.pid());
    QVERIFY(before > 3);
    for (const char *timeout : {"11", "12", "10"}) // each limit needs a group of its own
        QVERIFY(runToEnd(client, runOf("b", 2, 3, timeout)));
    const auto rank = rankOfHost(client.pid(), 1)->pid;
    const auto beforeInRank = openOf(rank);
    for (const char *timeout : {"11", "12", "13", "10"})
        QVERIFY(runToEnd(client, runOf("c", 2, 3, timeout)));
    QCOMPARE(openOf(rank), beforeInRank);
    for (const int ranks : {4, 1, 8, 2})
        QVERIFY(runToEnd(client, runOf("d", ranks, 3)));
    QCOMPARE(openOf(client.pid()), before);
}

void ServeTest::outputToAFile()
{
    // Not a pipe, which the host opens again for itself: descriptor 1 is the stream's, and no rank may touch it.
    QTemporaryFile file;
    QVERIFY(file.open());
    QProcess host;
    host.setStandardOutputFile(file.fileName());
    host.start(hostProgram(), {QStringLiteral("serve")});
    QVERIFY(host.waitForStarted());
    host.write(QByteArray::fromStdString(encode(Command(runOf("a", 2, kForever)))));
    host.waitForBytesWritten();
    const auto pid = static_cast<pid_t>(host.processId());
    QTRY_VERIFY_WITH_TIMEOUT(rankOfHost(pid, 1).has_value() && file.size() > 10000, 20000);
    for (const int rank : {0, 1}) {
        const QString folder = QStringLiteral("/proc/%1/fd/").arg(rankOfHost(pid, rank)->pid);
        QCOMPARE(QFile::symLinkTarget(folder + QStringLiteral("0")), QStringLiteral("/dev/null"));
        QCOMPARE(QFile::symLinkTarget(folder + QStringLiteral("1")),
                 QFile::symLinkTarget(folder + QStringLiteral("2")));
    }
    host.closeWriteChannel();
    QVERIFY(host.waitForFinished());
}

} // namespace shardscope

QTEST_GUILESS_MAIN(shardscope::ServeTest)
#include "tst_serve.moc"
