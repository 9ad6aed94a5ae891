// SPDX-License-Identifier: MIT
#include <QTest>
#include <algorithm>
#include <limits>

#include "engine/record/documents.h"
#include "tests/record/record_fixtures.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

bool sameRecords(const Run &a, const Run &b)
{
    return a.spans == b.spans && a.hops == b.hops && a.iterations == b.iterations && a.baselines == b.baselines &&
           a.carried == b.carried && a.topology == b.topology && a.checks == b.checks && a.memory == b.memory &&
           a.messages == b.messages && a.end == b.end;
}

bool sameHead(const Run &a, const Run &b)
{
    return a.id == b.id && a.startedAt == b.startedAt && a.hardware == b.hardware &&
           a.engineVersion == b.engineVersion && a.machine == b.machine && a.experiment() == b.experiment();
}

Run fullRun()
{
    Run run = makeRun({{"scheme", "mlp"}, {"ranks", "4"}, {"algorithm", "ring"}, {"delay", "2:20"}});
    run.engineVersion = "0.1.0";
    addIteration(run, 0, true, collectivesTake([](int, int) { return 5000; }));
    addIteration(run, 1, false, collectivesTake([](int rank, int) { return 5000 + rank; }));
    for (int rank = 0; rank < 4; ++rank)
        run.append(HopEvent{rank, 1, false, 2, 0, 2000, 3000, 64});
    run.append(BaselineEvent{2, {1, 2, 3}, {4, 5, 6}});
    run.append(CheckEvent{"Y", 4.5e-7, 1e-5, true});
    run.append(TopologyEvent{{{{0, 2, 1 << 30}}, {}, {}}});
    run.append(CarriedEvent{1, "RING", "LL128"});
    run.append(MemoryEvent{1000, 900});
    run.append(MessageEvent{MessageEvent::Level::Warning, 1, {TextId::StreamLineNotJson, {"x"}}, {}, "detail"});
    run.append(EndEvent{"1", EndEvent::Status::Done, 0, 123456789});
    return run;
}

} // namespace

class TestRun : public QObject
{
    Q_OBJECT

private slots:
    void planFollowsFromTheOptions()
    {
        const Run run = makeRun({{"scheme", "column"}, {"ranks", "4"}, {"hidden", "256"}});
        QCOMPARE(run.experiment().ranks(), 4);
        QCOMPARE(run.experiment().ffn, std::int64_t{1024});
        QVERIFY(!run.plan.steps.empty());
        QCOMPARE(run.plan.transport, Transport::Gloo);
        QCOMPARE(makeRun({}, "nccl").plan.transport, Transport::Nccl);
    }

    void experimentThatCannotBeBuiltIsNamed()
    {
        RunEvent event;
        event.experiment = {{"scheme", "teleport"}};
        const auto run = beginRun(event, nullptr);
        QVERIFY(!run.ok());
        QVERIFY(english(run.problem()).find("teleport") != std::string::npos);
    }

    void helloGivesWhatTheRunDoesNotSay()
    {
        HelloEvent hello;
        hello.engineVersion = "9.9";
        hello.machine.backend = "nccl";
        const auto run = beginRun(RunEvent{}, &hello);
        QVERIFY(run.ok());
        QCOMPARE(run->engineVersion, std::string("9.9"));
        QCOMPARE(run->machine.backend, std::string("nccl"));
    }

    void impossibleRecordsAreCounted_data()
    {
        QTest::addColumn<std::function<void(SpanEvent &)>>("spoil");
        const auto row = [](const char *name, std::function<void(SpanEvent &)> spoil) { QTest::newRow(name) << spoil; };
        row("end before start", [](SpanEvent &span) { span.endNs = span.startNs - 1; });
        row("0 to 0", [](SpanEvent &span) { span.startNs = span.endNs = 0; });
        row("negative start", [](SpanEvent &span) { span.startNs = -1; });
        row("unknown step", [](SpanEvent &span) { span.step = 1000; });
        row("negative step", [](SpanEvent &span) { span.step = -1; });
        row("unknown rank", [](SpanEvent &span) { span.rank = 2; });
        row("negative rank", [](SpanEvent &span) { span.rank = -1; });
        row("negative iteration", [](SpanEvent &span) { span.iteration = -1; });
        row("after the end of all runs",
            [](SpanEvent &span) { span.endNs = std::numeric_limits<std::int64_t>::max(); });
        row("more bytes than there are",
            [](SpanEvent &span) { span.payloadBytes = std::numeric_limits<std::int64_t>::max(); });
        row("negative bytes", [](SpanEvent &span) { span.sentBytes = -1; });
        row("collective in no time", [](SpanEvent &span) {
            span.op = "all_reduce";
            span.endNs = span.startNs;
        });
    }
    void impossibleRecordsAreCounted()
    {
        QFETCH(std::function<void(SpanEvent &)>, spoil);
        Run run = makeRun({});
        SpanEvent span = spanOf(run.plan.steps.front(), 1, 0, 1000, 50);
        run.append(span);
        QCOMPARE(run.rejected, 0);
        spoil(span);
        run.append(span);
        QCOMPARE(run.rejected, 1);
        QCOMPARE(run.spans.size(), std::size_t{1});
    }

    void impossibleHopsIterationsBaselinesToo()
    {
        Run run = makeRun({});
        run.append(HopEvent{0, 0, false, 1000, 0, 1, 2, 3});
        run.append(HopEvent{0, 0, false, 0, -1, 1, 2, 3});
        run.append(HopEvent{0, 0, false, 0, std::numeric_limits<int>::max(), 1, 2, 3});
        run.append(IterationEvent{7, 0, false, 1, 2});
        run.append(IterationEvent{0, 0, false, 2, 1});
        run.append(BaselineEvent{0, {-5}, {1}});
        QCOMPARE(run.rejected, 6);
        QVERIFY(run.hops.empty() && run.iterations.empty() && run.baselines.empty());
    }

    void freeStepOfAPredictionIsPossible()
    {
        Run run = makeRun({});
        run.source = Source::Predicted;
        run.append(spanOf(run.plan.steps.front(), 0, 0, 0, 0));
        QCOMPARE(run.rejected, 0);
    }

    void iterationIsCompleteWhenEveryRankArrived()
    {
        Run run = makeRun({{"ranks", "2"}});
        run.append(IterationEvent{0, 0, true, 1, 2});
        run.append(IterationEvent{1, 0, true, 1, 2});
        QCOMPARE(run.completeIterations(), 0);
        run.append(IterationEvent{0, 1, false, 1, 2});
        run.append(IterationEvent{0, 1, false, 1, 2});
        QCOMPARE(run.completeIterations(), 0);
        run.append(IterationEvent{1, 1, false, 1, 2});
        QCOMPARE(run.completeIterations(), 1);
        run.append(IterationEvent{1, 2, false, 1, 2});
        QCOMPARE(run.completeIterations(), 1);
    }

    void filesRoundTrip()
    {
        std::vector<Run> runs{fullRun(), makeRun({{"scheme", "row"}, {"phase", "decode"}}, "nccl")};
        runs[1].id = "2";
        runs[1].source = Source::Predicted;
        runs[1].hardware = "h100-8";
        const std::string bytes = writeRuns(runs);
        const RunFile file = readRuns(bytes);
        QVERIFY(file.problems.empty());
        QCOMPARE(file.runs.size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i) {
            QVERIFY(sameHead(file.runs[i], runs[i]));
            QVERIFY(sameRecords(file.runs[i], runs[i]));
            QCOMPARE(file.runs[i].rejected, 0);
            QCOMPARE(file.runs[i].source, Source::Recorded);
        }
        QCOMPARE(readRuns(writeRuns(file.runs)).runs.size(), std::size_t{2});
        QVERIFY(sameRecords(readRuns(writeRuns(file.runs)).runs[0], runs[0]));
    }

    void eventsStandIterationByIteration()
    {
        const auto events = toEvents(fullRun());
        QVERIFY(std::holds_alternative<HelloEvent>(events.front()));
        QVERIFY(std::holds_alternative<RunEvent>(events[1]));
        QVERIFY(std::holds_alternative<EndEvent>(events.back()));
        const auto firstTimed = std::find_if(events.begin(), events.end(), [](const Event &event) {
            const auto *span = std::get_if<SpanEvent>(&event);
            return span && !span->warmup;
        });
        const auto warmupsBefore = std::count_if(events.begin(), firstTimed, [](const Event &event) {
            const auto *iteration = std::get_if<IterationEvent>(&event);
            return iteration && iteration->warmup;
        });
        QCOMPARE(warmupsBefore, 4);
    }

    void cutOffFileOpensUpToTheLastWholeRecord()
    {
        const Run run = fullRun();
        const std::string bytes = writeRuns({run});
        for (std::size_t length = 0; length < bytes.size(); length += 37) {
            const RunFile file = readRuns(std::string_view(bytes).substr(0, length));
            QVERIFY(file.runs.size() <= 1);
            QVERIFY(file.problems.size() <= 1);
            if (!file.runs.empty())
                QVERIFY(std::equal(file.runs[0].spans.begin(), file.runs[0].spans.end(), run.spans.begin()));
        }
        const RunFile file = readRuns(std::string_view(bytes).substr(0, bytes.size() - 2));
        QCOMPARE(file.runs.size(), std::size_t{1});
        QVERIFY(file.runs[0].spans == run.spans);
        QVERIFY(!file.runs[0].end);
        QCOMPARE(file.problems.size(), std::size_t{1});
    }

    void otherDocumentsAreNamed_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("id");
        const Run run = makeRun({});
        const auto row = [](const char *name, const std::string &bytes, TextId id) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << static_cast<int>(id);
        };
        row("document", runDocument(run), TextId::StreamIsDocument);
        row("list", "[\n" + runDocument(run) + "]\n", TextId::StreamIsDocument);
        row("one line", R"({"schema":1,"checks":[]})", TextId::StreamIsDocument);
        row("trace", chromeTrace({run}), TextId::StreamIsTrace);
        row("rows", csvHeader({}) + csvRow(run, {}), TextId::StreamIsCsv);
    }

    /// One cause, not one complaint for every line.
    void otherDocumentsAreNamed()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, id);
        const RunFile file = readRuns(bytes.toStdString());
        QVERIFY(file.runs.empty());
        QCOMPARE(file.problems.size(), std::size_t{1});
        QCOMPARE(static_cast<int>(file.problems.front().second.id), id);
    }

    void unknownExperimentIsReportedAndTheOthersAreRead()
    {
        const std::string unknown = R"({"kind":"run","id":"0","source":"measured","experiment":{"scheme":"warp"}})";
        const std::string orphan = encode(Event(IterationEvent{0, 0, false, 1, 2}));
        const RunFile file = readRuns(unknown + "\n" + orphan + writeRuns({fullRun()}));
        QCOMPARE(file.runs.size(), std::size_t{1});
        QCOMPARE(file.problems.size(), std::size_t{1});
        QCOMPARE(file.problems[0].first, 1);
        QVERIFY(english(file.problems[0].second).find("warp") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestRun)
#include "tst_run.moc"
