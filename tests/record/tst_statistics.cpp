// SPDX-License-Identifier: MIT
#include "engine/record/statistics.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/record/record_fixtures.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

/// How a communicator reports one collective.
using Report = std::function<void(Run &, SpanEvent)>;

const Step &firstCollective(const Plan &plan)
{
    for (const Step &step : plan.steps) {
        if (step.collective)
            return step;
    }
    qFatal("the plan has no collective");
}

const Step &lastCompute(const Plan &plan)
{
    const auto step = std::find_if(plan.steps.rbegin(), plan.steps.rend(), [](const Step &s) { return !s.collective; });
    return *step;
}

/// 20 repetitions of a quiet baseline for every collective: waits of `waitNs`.
void addBaselines(Run &run, std::int64_t waitNs)
{
    for (const Step &step : run.plan.steps) {
        if (step.collective)
            run.append(BaselineEvent{step.id, std::vector<std::int64_t>(20, 1'600'000),
                                     std::vector<std::int64_t>(20, waitNs)});
    }
}

/// Rank 2 comes 20 ms late: the others wait inside the collective, it does not (engine.md section 4).
Durations straggler()
{
    return collectivesTake([](int rank, int) { return rank == 2 ? 1'690'000 : 1'690'000 + 20 * kMillisecond; });
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

} // namespace

class TestStatistics : public QObject
{
    Q_OBJECT

private slots:
    void bandwidthsAreExact_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("busbw");
        // 1 MiB (all-reduce of Y) or 4 MiB (all-gather of Y) in exactly 1048576 ns: algbw 1 or 4 GB/s.
        for (const int n : {2, 4, 8}) {
            QTest::newRow(("all-reduce " + std::to_string(n)).c_str()) << "mlp" << n << 2.0 * (n - 1) / n;
            QTest::newRow(("all-gather " + std::to_string(n)).c_str()) << "column" << n << 4.0 * (n - 1) / n;
        }
    }
    void bandwidthsAreExact()
    {
        QFETCH(QString, scheme);
        QFETCH(int, ranks);
        QFETCH(double, busbw);
        OptionValues options = layer(scheme.toStdString(), "prefill", ranks);
        if (scheme == "column")
            options["gather-output"] = "on";
        Run run = makeRun(options);
        addIterations(run, 3, collectivesTake([](int, int) { return 1048576; }));
        const RunSummary summary = summarize(run);
        QCOMPARE(summary.collectives.size(), std::size_t{1});
        QCOMPARE(*summary.collectives[0].algbwGBs, scheme == "column" ? 4.0 : 1.0);
        QVERIFY(near(*summary.collectives[0].busbwGBs, busbw));
        QVERIFY(summary.observedAsPlanned);
    }

    void lateRankShowsAsWaitingOfTheOthers()
    {
        Run run = makeRun(layer("mlp", "prefill", 4));
        addBaselines(run, 50'000);
        addIterations(run, 5, straggler());
        const CollectiveSummary collective = summarize(run).collectives.at(0);
        QCOMPARE(*collective.transferNs, 1'690'000.0);
        QCOMPARE(*collective.waitNs, 20.0 * kMillisecond);
        QCOMPARE(collective.duration->median, 21'690'000.0);
        QCOMPARE(collective.verdict, Verdict::Waiting);
        // The bandwidth is the transfer's: a late rank does not make the link slower.
        QVERIFY(near(*collective.algbwGBs, 1048576 / 1'690'000.0));
    }

    void verdictIsAgainstTheBaseline_data()
    {
        QTest::addColumn<int>("samples");
        QTest::addColumn<int>("baselineWaitNs");
        QTest::addColumn<int>("waitNs");
        QTest::addColumn<QString>("verdict");
        // The transfer takes 1 ms.
        QTest::newRow("no wait") << 5 << 50'000 << 0 << "transfer";
        QTest::newRow("within the baseline") << 5 << 400'000 << 400'000 << "transfer";
        QTest::newRow("negligible") << 5 << 1'000 << 100'000 << "transfer";
        QTest::newRow("beyond, but less than the transfer") << 5 << 50'000 << 500'000 << "mixed";
        QTest::newRow("beyond, and more than the transfer") << 5 << 50'000 << 1'000'001 << "waiting";
        QTest::newRow("noisy machine: as much in the baseline") << 5 << 3'000'000 << 2'000'000 << "transfer";
        QTest::newRow("three are enough") << 3 << 50'000 << 5'000'000 << "waiting";
        QTest::newRow("two are too few") << 2 << 50'000 << 5'000'000 << "inconclusive";
        QTest::newRow("no baseline") << 5 << -1 << 5'000'000 << "inconclusive";
    }
    void verdictIsAgainstTheBaseline()
    {
        QFETCH(int, samples);
        QFETCH(int, baselineWaitNs);
        QFETCH(int, waitNs);
        QFETCH(QString, verdict);
        Run run = makeRun(layer("row", "prefill", 2));
        if (baselineWaitNs >= 0)
            addBaselines(run, baselineWaitNs);
        addIterations(run, samples,
                      collectivesTake([waitNs](int rank, int) { return kMillisecond + (rank == 0 ? waitNs : 0); }));
        QCOMPARE(QString::fromStdString(std::string(name(summarize(run).collectives.at(0).verdict))), verdict);
    }

    void perIterationTheMaximumThenTheMedian()
    {
        Run run = makeRun(layer("mlp", "prefill", 2));
        // Maxima over ranks 10, 30, 20 ms in iterations 0, 1, 2; the other rank takes 1 ms less.
        const std::array<std::int64_t, 3> longest{10 * kMillisecond, 30 * kMillisecond, 20 * kMillisecond};
        addIterations(run, 3, collectivesTake([&](int rank, int iteration) {
                          return longest[static_cast<std::size_t>(iteration)] -
                                 (rank == iteration % 2 ? 0 : kMillisecond);
                      }));
        const RunSummary summary = summarize(run);
        const CollectiveSummary &collective = summary.collectives.at(0);
        QCOMPARE(collective.duration->median, 20.0 * kMillisecond);
        QCOMPARE(collective.duration->p10, 12.0 * kMillisecond);
        QCOMPARE(collective.duration->p90, 28.0 * kMillisecond);
        QCOMPARE(*collective.transferNs, 19.0 * kMillisecond);
        QCOMPARE(*collective.waitNs, 1.0 * kMillisecond);
        QCOMPARE(*summary.step.communicationNs, 20.0 * kMillisecond);
        QCOMPARE(*summary.step.waitNs, 1.0 * kMillisecond);
        QCOMPARE(summary.stepCommunication->p90, 28.0 * kMillisecond);
    }

    void warmupsAndIncompleteIterationsDoNotCount()
    {
        Run run = makeRun(layer("mlp", "prefill", 2));
        addIteration(run, 0, true, collectivesTake([](int, int) { return 214 * kMillisecond; }));
        addIteration(run, 1, false, collectivesTake([](int, int) { return kMillisecond; }));
        // Iteration 2: rank 1 has not arrived yet.
        const Step &step = firstCollective(run.plan);
        run.append(spanOf(step, 0, 2, 1, 99 * kMillisecond));
        run.append(IterationEvent{0, 2, false, 1, 99 * kMillisecond});
        const RunSummary summary = summarize(run);
        QCOMPARE(summary.iterations, 1);
        QCOMPARE(summary.collectives.at(0).duration->samples, 1);
        QCOMPARE(summary.collectives.at(0).duration->p90, 1.0 * kMillisecond);
        QCOMPARE(summary.step.collectives, 1);
        QVERIFY(summary.observedAsPlanned);
    }

    void trainingCountsWhatTheCommunicatorCounted()
    {
        Run run = makeRun(layer("mlp", "training", 2));
        addIterations(run, 3, collectivesTake([](int, int) { return kMillisecond; }));
        const RunSummary summary = summarize(run);
        QCOMPARE(summary.collectives.size(), std::size_t{2});
        QCOMPARE(summary.collectives[0].tensor, std::string("Y"));
        QCOMPARE(summary.collectives[1].tensor, std::string("dX"));
        for (const CollectiveSummary &collective : summary.collectives) {
            QCOMPARE(collective.count, 1);
            QCOMPARE(collective.plannedCount, 1);
            QCOMPARE(collective.payloadBytes, std::int64_t{1048576});
            QCOMPARE(collective.sentBytesPerRank, std::int64_t{1048576});
        }
        QCOMPARE(summary.passes[static_cast<std::size_t>(Pass::Forward)].collectives, 1);
        QCOMPARE(summary.passes[static_cast<std::size_t>(Pass::Backward)].collectives, 1);
        QCOMPARE(summary.passes[static_cast<std::size_t>(Pass::Optimizer)].collectives, 0);
        QCOMPARE(summary.step.collectives, 2);
        QCOMPARE(summary.step.sentBytesPerRank, std::int64_t{2097152});
        QVERIFY(summary.observedAsPlanned);
    }

    void observationMustEqualThePlan_data()
    {
        QTest::addColumn<Report>("report");
        QTest::addColumn<int>("count");
        const auto row = [](const char *name, int count, const Report &report) {
            QTest::newRow(name) << report << count;
        };
        row("as planned", 1, [](Run &run, const SpanEvent &span) { run.append(span); });
        row("never called", 0, [](Run &, const SpanEvent &) {});
        row("called twice", 2, [](Run &run, SpanEvent span) {
            run.append(span);
            run.append(span);
        });
        row("another op", 1, [](Run &run, SpanEvent span) {
            span.op = "all_gather";
            run.append(span);
        });
        row("another payload", 1, [](Run &run, SpanEvent span) {
            span.payloadBytes -= 4;
            run.append(span);
        });
        row("more sent", 1, [](Run &run, SpanEvent span) {
            span.sentBytes *= 2;
            run.append(span);
        });
        row("a collective at a compute step", 1, [](Run &run, SpanEvent span) {
            run.append(span);
            span.step = 0;
            run.append(span);
        });
        row("not counted", 0, [](Run &run, SpanEvent span) {
            span.op.clear();
            run.append(span);
        });
    }
    void observationMustEqualThePlan()
    {
        QFETCH(Report, report);
        QFETCH(int, count);
        Run run = makeRun(layer("mlp", "prefill", 2));
        const Step &step = firstCollective(run.plan);
        for (int iteration = 0; iteration < 3; ++iteration) {
            for (int rank = 0; rank < 2; ++rank) {
                const SpanEvent span = spanOf(step, rank, iteration, 1000, 2000);
                // Only rank 1 of iteration 1 behaves in its own way.
                if (rank == 1 && iteration == 1)
                    report(run, span);
                else
                    run.append(span);
                run.append(IterationEvent{rank, iteration, false, 1000, 3000});
            }
        }
        const RunSummary summary = summarize(run);
        QCOMPARE(summary.observedAsPlanned, std::string(QTest::currentDataTag()) == "as planned");
        QCOMPARE(summary.collectives.at(0).count, count);
    }

    void sentBytesAreThoseOfTheRankThatSendsMost()
    {
        Run run = makeRun({{"scheme", "mlp"}, {"phase", "prefill"}, {"ranks", "4"}, {"algorithm", "tree"}});
        const Step &step = firstCollective(run.plan);
        for (int rank = 0; rank < 4; ++rank) {
            SpanEvent span = spanOf(step, rank, 0, 1000, 2000);
            span.sentBytes = rank == 0 ? step.collective->sentBytesPerRank : 1000;
            run.append(span);
            run.append(IterationEvent{rank, 0, false, 1000, 3000});
        }
        run.append(HopEvent{3, 0, false, step.id, 3, 1500, 1600, 10});
        const RunSummary summary = summarize(run);
        QCOMPARE(summary.collectives.at(0).sentBytesPerRank, step.collective->sentBytesPerRank);
        QCOMPARE(summary.step.sentBytesPerRank, step.collective->sentBytesPerRank);
        QCOMPARE(summary.collectives.at(0).hops, 4);
        QVERIFY(summary.observedAsPlanned);
    }

    void beforeDataThePlanStandsWithoutTimes()
    {
        const RunSummary summary = summarize(makeRun(layer("mlp", "training", 4)));
        QCOMPARE(summary.iterations, 0);
        QCOMPARE(summary.collectives.size(), std::size_t{2});
        QCOMPARE(summary.collectives[0].count, 0);
        QCOMPARE(summary.collectives[0].plannedCount, 1);
        QCOMPARE(summary.collectives[0].sentBytesPerRank, std::int64_t{1572864});
        QVERIFY(!summary.collectives[0].duration && !summary.collectives[0].busbwGBs);
        QCOMPARE(summary.step.collectives, 2);
        QVERIFY(!summary.step.communicationNs && !summary.step.elapsedNs && !summary.stepElapsed);
        QVERIFY(summary.observedAsPlanned);
    }

    void doneWithoutAnyIterationIsNotAsPlanned()
    {
        Run run = makeRun({});
        run.append(EndEvent{"1", EndEvent::Status::Done, 0, 1});
        QVERIFY(!summarize(run).observedAsPlanned);
    }

    /// What was cut off has not passed, whichever checks it holds; a prediction has nothing to check.
    void onlyAWholeRunIsChecked()
    {
        Run run = makeRun({});
        addIterations(run, 3, collectivesTake([](int, int) { return 1000; }));
        QVERIFY(!summarize(run).checksPassed);
        run.append(CheckEvent{"Y", 1e-7, 1e-6, true});
        QVERIFY(!summarize(run).checksPassed);
        run.append(EndEvent{"1", EndEvent::Status::Cancelled, 130, 5});
        QVERIFY(!summarize(run).checksPassed);
        run.append(EndEvent{"1", EndEvent::Status::Done, 0, 5});
        QVERIFY(summarize(run).checksPassed);
        run.append(CheckEvent{"dX", -0.5, 1e-6, true}); // no error is below zero
        QVERIFY(!summarize(run).checksPassed);
        Run predicted = makeRun({});
        predicted.hardware = "a100-8";
        QVERIFY(summarize(predicted).checksPassed);
    }

    void oneRankHasNoCollectives()
    {
        Run run = makeRun(layer("mlp", "training", 1));
        addIterations(run, 3, collectivesTake([](int, int) { return kMillisecond; }));
        const RunSummary summary = summarize(run);
        QVERIFY(summary.collectives.empty());
        QCOMPARE(summary.step.collectives, 0);
        QCOMPARE(*summary.step.communicationNs, 0.0);
        QVERIFY(*summary.step.computeNs > 0);
        QVERIFY(summary.observedAsPlanned);
    }

    void hiddenIsWhatComputeCovers()
    {
        Run run = makeRun(layer("mlp", "training", 2));
        const Step &collective = firstCollective(run.plan);
        for (int rank = 0; rank < 2; ++rank) {
            // Communication 1000..5000, compute of another pass 4000..9000: 1000 hidden, 3000 exposed.
            run.append(spanOf(collective, rank, 0, 1000, 4000));
            run.append(spanOf(lastCompute(run.plan), rank, 0, 4000, 5000));
            run.append(IterationEvent{rank, 0, false, 500, 9500});
        }
        const RunSummary summary = summarize(run);
        const PassSummary &forward = summary.passes[static_cast<std::size_t>(Pass::Forward)];
        QCOMPARE(*forward.communicationNs, 4000.0);
        QCOMPARE(*forward.hiddenNs, 1000.0);
        QCOMPARE(*forward.exposedNs, 3000.0);
        QCOMPARE(*forward.elapsedNs, 4000.0);
        QCOMPARE(*summary.step.elapsedNs, 9000.0);
    }
};

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
