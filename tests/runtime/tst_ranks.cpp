// SPDX-License-Identifier: MIT
// Ranks from outside: commands in, events out, every scheme against the reference and every count against the plan.
#include "tests/runtime/compare_run.h"

#include "engine/plan/hop_schedule.h"

#include <QtTest>

#include <csignal>
#include <map>
#include <sys/wait.h>

using namespace shardscope;

class TestRanks : public QObject
{
    Q_OBJECT

private slots:
    void everySchemeAgainstTheReference_data();
    void everySchemeAgainstTheReference();
    void switches();
    void algorithms_data();
    void algorithms();
    void bugsFailTheirCheck_data();
    void bugsFailTheirCheck();
    void baselinesOfEveryCollective();
    void lateRankIsLate();
    void budgetBoundsTheSteps();
    void cancelLeavesRanksUsable();
    void missingDtypeIsRefused();
    void wrongExperimentIsRefused();
    void anotherTimeoutJoinsAgain();
    void lostPeerIsSaid();
    void silentPeerIsSaid();
    void outOfMemoryIsSaid();
    void measuresTheMachine();
};

void TestRanks::everySchemeAgainstTheReference_data()
{
    QTest::addColumn<int>("ranks");
    for (const int ranks : {1, 2, 3, 4})
        QTest::addRow("N = %d", ranks) << ranks;
}

void TestRanks::everySchemeAgainstTheReference()
{
    QFETCH(int, ranks);
    ForkedRanks group(ranks);
    for (const Scheme scheme : {Scheme::Column, Scheme::Row, Scheme::Mlp})
        for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode})
            for (const DType dtype : {DType::F32, DType::F64, DType::BF16, DType::F16}) {
                const Experiment experiment = smallExperiment(scheme, phase, ranks, dtype);
                const PerRank events = group.run(experiment);
                if (dtype == DType::F16 && eventsOf<EndEvent>(events.front()).front().exitCode == 2)
                    continue; // this LibTorch cannot; missingDtypeIsRefused looks at how it says so
                compareRun(experiment, events);
                if (QTest::currentTestFailed())
                    QFAIL(label(experiment));
            }
    QCOMPARE(group.leave(), std::vector<int>(std::size_t(ranks), 0));
}

void TestRanks::switches()
{
    ForkedRanks group(2);
    std::vector<Experiment> experiments;
    const auto add = [&](Scheme scheme, auto change) {
        for (const bool bias : {true, false}) {
            experiments.push_back(smallExperiment(scheme, Phase::Training, 2));
            experiments.back().bias = bias;
            change(experiments.back());
        }
    };
    add(Scheme::Column, [](Experiment &e) { e.gatherOutput = true; });
    add(Scheme::Column, [](Experiment &e) { e.inputGradient = false; });
    add(Scheme::Row, [](Experiment &e) { e.inputParallel = false; });
    add(Scheme::Mlp, [](Experiment &e) { e.mlp = MlpKind::Swiglu; });
    add(Scheme::Mlp, [](Experiment &e) { e.inputGradient = false; });
    for (const Experiment &experiment : experiments) {
        compareRun(experiment, group.run(experiment));
        if (QTest::currentTestFailed())
            QFAIL(label(experiment));
    }
}

void TestRanks::algorithms_data()
{
    QTest::addColumn<int>("algorithm");
    for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Tree, Algorithm::Direct, Algorithm::HalvingDoubling})
        QTest::newRow(std::string(name(algorithm)).c_str()) << int(algorithm);
}

void TestRanks::algorithms()
{
    QFETCH(int, algorithm);
    for (const int ranks : {3, 4}) {
        Experiment experiment = smallExperiment(Scheme::Mlp, Phase::Training, ranks);
        experiment.algorithm = Algorithm(algorithm);
        experiment.hidden = 13; // 130 elements: uneven chunks
        if (validate(experiment))
            continue; // halving-doubling wants powers of two
        ForkedRanks group(ranks);
        const PerRank events = group.run(experiment);
        compareRun(experiment, events);
        const auto schedule = hopSchedule(CollectiveOp::AllReduce, experiment.algorithm, ranks);
        QVERIFY(schedule);
        std::map<std::pair<int, int>, std::int64_t> sent; // iteration, step of rank 1
        for (const HopEvent &hop : eventsOf<HopEvent>(events[1])) {
            QVERIFY(hop.hop < int(schedule->hops.size()));
            QVERIFY(hop.startNs <= hop.endNs);
            sent[{hop.iteration, hop.step}] += hop.sentBytes;
        }
        QVERIFY(!sent.empty());
        for (const SpanEvent &span : eventsOf<SpanEvent>(events[1]))
            if (!span.op.empty()) {
                const std::int64_t hops = sent[{span.iteration, span.step}];
                QCOMPARE(hops, span.sentBytes);
            }
    }
}

void TestRanks::bugsFailTheirCheck_data()
{
    QTest::addColumn<int>("scheme");
    QTest::newRow("row-bias-each-rank") << int(Scheme::BugRowBiasEachRank);
    QTest::newRow("all-reduce-columns") << int(Scheme::BugAllReduceColumns);
}

void TestRanks::bugsFailTheirCheck()
{
    QFETCH(int, scheme);
    ForkedRanks group(4);
    const Experiment experiment = smallExperiment(Scheme(scheme), Phase::Training, 4);
    const PerRank events = group.run(experiment);
    compareRun(experiment, events, false);
    for (const CheckEvent &check : eventsOf<CheckEvent>(events.front()))
        if (check.name == "Y")
            QVERIFY2(check.relativeError > 0.1, qPrintable(QString::number(check.relativeError)));
}

void TestRanks::baselinesOfEveryCollective()
{
    ForkedRanks group(2);
    const Experiment experiment = smallExperiment(Scheme::Mlp, Phase::Training, 2);
    const Plan plan = buildPlan(experiment);
    const PerRank events = group.run(experiment);
    std::map<int, BaselineEvent> baselines;
    for (const BaselineEvent &event : eventsOf<BaselineEvent>(events.front()))
        baselines[event.step] = event;
    for (const Step &step : plan.steps) {
        QCOMPARE(baselines.contains(step.id), step.collective.has_value());
        if (!step.collective)
            continue;
        QVERIFY(baselines[step.id].transferNs.size() >= 3);
        QCOMPARE(baselines[step.id].transferNs.size(), baselines[step.id].waitNs.size());
        for (const std::int64_t ns : baselines[step.id].transferNs)
            QVERIFY(ns > 0);
        for (const std::int64_t ns : baselines[step.id].waitNs)
            QVERIFY(ns >= 0);
    }
    QVERIFY(eventsOf<BaselineEvent>(events.back()).empty()); // rank 0 speaks for all
}

void TestRanks::lateRankIsLate()
{
    ForkedRanks group(2);
    Experiment experiment = smallExperiment(Scheme::Row, Phase::Prefill, 2);
    experiment.delay = Delay{1, 15};
    const PerRank events = group.run(experiment);
    const auto late = eventsOf<SpanEvent>(events[1]);
    const auto begun = eventsOf<IterationEvent>(events[1]);
    for (std::size_t i = 0; i < begun.size(); ++i) {
        const SpanEvent &first = late[i * (late.size() / begun.size())];
        QVERIFY(first.startNs - begun[i].startNs >= 15'000'000); // it sleeps at least as long as it was told
    }
}

void TestRanks::budgetBoundsTheSteps()
{
    ForkedRanks group(2);
    Experiment experiment = smallExperiment(Scheme::Mlp, Phase::Training, 2);
    experiment.steps = 20;
    experiment.delay = Delay{0, 30};
    const PerRank events = group.run(experiment, 0.2); // six or fewer steps of 30 ms and more fit
    const auto iterations = eventsOf<IterationEvent>(events.front());
    QVERIFY(iterations.size() >= std::size_t(experiment.warmup + 3));
    QVERIFY(iterations.size() <= std::size_t(experiment.warmup + 6));
    QCOMPARE(eventsOf<IterationEvent>(events.back()).size(), iterations.size());
}

void TestRanks::cancelLeavesRanksUsable()
{
    ForkedRanks group(2);
    Experiment experiment = smallExperiment(Scheme::Mlp, Phase::Training, 2);
    experiment.steps = 100'000;
    group.send(RunCommand{"long", allOptions(experiment), 0});
    group.send(CancelCommand{});
    for (const auto &rank : group.untilEnd()) {
        const auto ends = eventsOf<EndEvent>(rank);
        QCOMPARE(ends.size(), std::size_t(1));
        QCOMPARE(ends.front().id, std::string("long"));
        QVERIFY(ends.front().status == EndEvent::Status::Cancelled);
        QCOMPARE(ends.front().exitCode, 130);
    }
    group.send(CancelCommand{}); // between commands it means nothing
    experiment.steps = 2;
    compareRun(experiment, group.run(experiment));
    QCOMPARE(group.leave(), (std::vector<int>{0, 0}));
}

void TestRanks::missingDtypeIsRefused()
{
    ForkedRanks group(2);
    const Experiment experiment = smallExperiment(Scheme::Mlp, Phase::Training, 2, DType::F16);
    const PerRank events = group.run(experiment);
    const auto end = eventsOf<EndEvent>(events.front()).front();
    if (end.exitCode == 0) { // this LibTorch has it
        compareRun(experiment, events);
        return;
    }
    QVERIFY(end.status == EndEvent::Status::Failed);
    QCOMPARE(end.exitCode, 2);
    const auto messages = eventsOf<MessageEvent>(events.front());
    QCOMPARE(messages.size(), std::size_t(1));
    QVERIFY(messages.front().text.id == TextId::DTypeMissing);
    QVERIFY(eventsOf<MessageEvent>(events.back()).empty());
    const Experiment next = smallExperiment(Scheme::Mlp, Phase::Training, 2);
    compareRun(next, group.run(next));
}

void TestRanks::wrongExperimentIsRefused()
{
    ForkedRanks group(1);
    OptionValues options = allOptions(smallExperiment(Scheme::Mlp, Phase::Training, 1));
    options["hidden"] = "many";
    group.send(RunCommand{"wrong", options, 0});
    const PerRank events = group.untilEnd();
    QCOMPARE(eventsOf<EndEvent>(events.front()).front().exitCode, 2);
    QCOMPARE(eventsOf<MessageEvent>(events.front()).size(), std::size_t(1));
    QCOMPARE(group.leave(), std::vector<int>{0});
}

void TestRanks::anotherTimeoutJoinsAgain()
{
    ForkedRanks group(2);
    Experiment experiment = smallExperiment(Scheme::Row, Phase::Training, 2);
    for (const double timeout : {20.0, 30.0, 20.0}) {
        experiment.timeoutSeconds = timeout;
        compareRun(experiment, group.run(experiment));
    }
    QCOMPARE(group.leave(), (std::vector<int>{0, 0}));
}

void TestRanks::lostPeerIsSaid()
{
    ForkedRanks group(3);
    Experiment experiment = smallExperiment(Scheme::Mlp, Phase::Training, 3);
    compareRun(experiment, group.run(experiment));
    kill(group.pid(1), SIGKILL);
    const PerRank events = group.run(experiment);
    QVERIFY(events[1].empty());
    for (const int survivor : {0, 2}) {
        const auto &heard = events[std::size_t(survivor)];
        const auto end = eventsOf<EndEvent>(heard).front();
        QVERIFY(end.status == EndEvent::Status::Failed);
        QCOMPARE(end.exitCode, 4);
        QCOMPARE(end.id, std::string("run"));
        const auto message = eventsOf<MessageEvent>(heard).front();
        QVERIFY2(message.text.id == TextId::PeerLost, message.detail.c_str());
        QCOMPARE(message.rank, survivor);
    }
    QCOMPARE(group.leave(), (std::vector<int>{4, -SIGKILL, 4}));
}

void TestRanks::silentPeerIsSaid()
{
    ForkedRanks group(2);
    Experiment experiment = smallExperiment(Scheme::Mlp, Phase::Training, 2);
    experiment.timeoutSeconds = 1;
    compareRun(experiment, group.run(experiment));
    kill(group.pid(1), SIGSTOP);
    group.send(RunCommand{"run", allOptions(experiment), 0});
    // The stopped rank ends its stream only when it goes on, and then finds its peer gone.
    siginfo_t ended{};
    QCOMPARE(waitid(P_PID, id_t(group.pid(0)), &ended, WEXITED | WNOWAIT), 0);
    kill(group.pid(1), SIGCONT);
    const PerRank events = group.untilEnd();
    const auto message = eventsOf<MessageEvent>(events.front()).front();
    QVERIFY2(message.text.id == TextId::CollectiveTimedOut, message.detail.c_str());
    QCOMPARE(group.leave(), (std::vector<int>{4, 4}));
}

void TestRanks::outOfMemoryIsSaid()
{
    ForkedRanks group(1, std::uint64_t{6} << 30);
    Experiment experiment = smallExperiment(Scheme::Mlp, Phase::Training, 1);
    experiment.hidden = 65'536;
    experiment.ffn = 65'536; // W1 alone is 16 GiB
    const PerRank events = group.run(experiment);
    const auto message = eventsOf<MessageEvent>(events.front()).front();
    QVERIFY2(message.text.id == TextId::RankOutOfMemory, message.detail.c_str());
    QVERIFY(message.remedy.id == TextId::LessMemoryRemedy);
    QCOMPARE(eventsOf<EndEvent>(events.front()).front().exitCode, 4);
    QCOMPARE(group.leave(), std::vector<int>{4});
}

void TestRanks::measuresTheMachine()
{
    ForkedRanks group(2);
    group.send(MeasureCommand{"this", 2, DType::F32});
    const PerRank events = group.untilEnd();
    const auto compute = eventsOf<ComputeEvent>(events.front());
    QCOMPARE(compute.size(), std::size_t(1));
    QVERIFY(compute.front().flopsPerSecond > 0 && compute.front().bytesPerSecond > 0 && compute.front().overheadNs > 0);
    std::map<CollectiveOp, std::int64_t> largest;
    for (const BandwidthEvent &event : eventsOf<BandwidthEvent>(events.front())) {
        QVERIFY(event.medianNs > 0);
        QCOMPARE(event.ranks, 2);
        largest[event.op] = std::max(largest[event.op], event.payloadBytes);
    }
    QCOMPARE(largest.size(), std::size_t(3));
    for (const auto &[op, bytes] : largest)
        QCOMPARE(bytes, std::int64_t{16} << 20);
    QVERIFY(eventsOf<EndEvent>(events.front()).front().status == EndEvent::Status::Done);
}

QTEST_GUILESS_MAIN(TestRanks)
#include "tst_ranks.moc"
