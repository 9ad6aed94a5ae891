// SPDX-License-Identifier: MIT
#include "engine/record/traffic_matrix.h"

#include "engine/record/collective_kinds.h"

#include <QtTest>

#include "tests/record/record_fixtures.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

Plan planOf(const OptionValues &options)
{
    const Expected<Experiment> read = readExperiment(options);
    if (!read)
        qFatal("%s", english(read.problem()).c_str());
    return buildPlan(*read);
}

/// Every rank's communicator counts what the plan says that this rank sends.
Run honestRun(const OptionValues &options, int steps)
{
    Run run = makeRun(options);
    for (int iteration = 0; iteration < steps; ++iteration) {
        for (int rank = 0; rank < run.experiment().ranks(); ++rank) {
            std::int64_t now = 1000;
            for (const Step &step : run.plan.steps) {
                if (!run.plan.runs(step, rank))
                    continue;
                SpanEvent span = spanOf(step, rank, iteration, now, kComputeNs);
                span.sentBytes = sentBytesByRank(run.plan, step)[static_cast<std::size_t>(rank)];
                now = span.endNs;
                run.append(span);
            }
            run.append(IterationEvent{rank, iteration, false, 1000, now});
        }
    }
    return run;
}

const char *const kMeshes[] = {"tp=4", "tp=2,dp=2", "tp=2,pp=2", "tp=2,dp=2,pp=2"};

} // namespace

class TestTrafficMatrix : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// Whatever is sent is received, axes add up to the whole, and so do the lines of "what travels".
    void sumsAgree()
    {
        for (const char *mesh : kMeshes) {
            const Plan plan = planOf({{"scheme", "mlp"}, {"mesh", mesh}, {"hidden", "64"}});
            const TrafficMatrix all = trafficMatrix(plan);
            std::int64_t sent = 0;
            std::int64_t received = 0;
            std::int64_t axes = 0;
            std::int64_t kinds = 0;
            for (int rank = 0; rank < all.ranks(); ++rank) {
                sent += all.sentBy(rank);
                received += all.receivedBy(rank);
                QCOMPARE(all.bytes(rank, rank), std::int64_t{0});
            }
            for (const MeshAxis axis : kMeshAxes)
                axes += trafficMatrix(plan, axis).total();
            const std::vector<CollectiveSummary> planned = plannedCollectives(plan);
            for (const CollectiveKind &kind : kindsOf(planned)) {
                for (const CollectiveSummary *one : kind) {
                    for (const std::int64_t bytes :
                         sentBytesByRank(plan, plan.steps[static_cast<std::size_t>(one->step)]))
                        kinds += bytes;
                }
            }
            QVERIFY(sent > 0);
            QCOMPARE(sent, all.total());
            QCOMPARE(received, all.total());
            QCOMPARE(axes, all.total());
            QCOMPARE(kinds, all.total());
        }
    }

    void ringsSendToTheNextRankOnly()
    {
        const TrafficMatrix matrix = trafficMatrix(planOf(layer("mlp", "training", 4)));
        for (int from = 0; from < 4; ++from) {
            for (int to = 0; to < 4; ++to)
                QCOMPARE(matrix.bytes(from, to) > 0, to == (from + 1) % 4);
        }
    }

    void oneRankSendsNothing()
    {
        const Plan plan = planOf(layer("mlp", "training", 1));
        QCOMPARE(trafficMatrix(plan).total(), std::int64_t{0});
        QVERIFY(plannedCollectives(plan).empty());
    }

    void whatIsCountedIsCompared()
    {
        for (const char *mesh : kMeshes) {
            Run run = honestRun({{"scheme", "mlp"}, {"mesh", mesh}, {"hidden", "64"}}, 3);
            const TrafficMatrix matrix = trafficMatrix(run.plan);
            const auto observed = observedTraffic(run);
            QVERIFY(observed);
            QCOMPARE(observed->steps, 3);
            QVERIFY(observed->agreesWith(matrix));
            for (const MeshAxis axis : kMeshAxes)
                QVERIFY(observedTraffic(run, axis)->agreesWith(trafficMatrix(run.plan, axis)));
            // One rank that sends a byte more in one step is seen.
            std::ranges::find_if(run.spans, [](const SpanEvent &span) { return span.sentBytes > 0; })->sentBytes += 1;
            QVERIFY(!observedTraffic(run)->agreesWith(matrix));
        }
    }

    void nothingIsObservedBeforeAStepIsDone()
    {
        const Run run = makeRun(layer("mlp", "training", 2));
        QVERIFY(!observedTraffic(run));
        Run predicted = honestRun(layer("mlp", "training", 2), 1);
        predicted.source = Source::Predicted;
        QVERIFY(!observedTraffic(predicted));
    }

    /// Layers and micro-batches repeat a collective: one line, which names the first and the last.
    void kindsAreOneForAllLayers()
    {
        const Plan plan = planOf({{"scheme", "mlp"}, {"ranks", "2"}, {"layers", "4"}, {"hidden", "64"}});
        const std::vector<CollectiveSummary> planned = plannedCollectives(plan);
        const std::vector<CollectiveKind> kinds = kindsOf(planned);
        QCOMPARE(planned.size(), std::size_t{8});
        QCOMPARE(kinds.size(), std::size_t{3}); // Y of every layer, dY between layers, dX before the first
        QCOMPARE(kinds.front().size(), std::size_t{4});
        QVERIFY(tensorsOf(kinds.front()).find(" ... ") != std::string::npos);
        QCOMPARE(withoutPlace("dW1.2#3, db1.2#3"), std::string("dW1, db1"));
        QVERIFY(!severalAxes(planned));
        QCOMPARE(countPerRank(plan, kinds.front(), &CollectiveSummary::plannedCount), 4);
    }

    /// Two stages have two of the four layers each, and no rank sums the outputs of the other stage's.
    void aRankCountsItsOwnStage()
    {
        const Plan plan = planOf({{"scheme", "mlp"}, {"mesh", "tp=2,pp=2"}, {"layers", "4"}, {"hidden", "64"}});
        const std::vector<CollectiveSummary> planned = plannedCollectives(plan);
        const std::vector<CollectiveKind> kinds = kindsOf(planned);
        QCOMPARE(kinds.front().size(), std::size_t{4});
        QCOMPARE(countPerRank(plan, kinds.front(), &CollectiveSummary::plannedCount), 2);
    }
};

QTEST_APPLESS_MAIN(TestTrafficMatrix)
#include "tst_traffic_matrix.moc"
