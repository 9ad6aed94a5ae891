// SPDX-License-Identifier: MIT
// Predictions for thousands of ranks: held against first principles, and against small meshes.
#include "engine/plan/experiment_options.h"
#include "engine/plan/option_limits.h"
#include "engine/record/documents.h"
#include "engine/record/hosts.h"
#include "engine/record/statistics.h"
#include "engine/simulate/network.h"
#include "engine/simulate/simulate.h"

#include <QtTest>

using namespace shardscope;

namespace {

Run predicted(const OptionValues &options, const char *preset = "h100-8")
{
    const Expected<Experiment> read = readExperiment(options);
    if (!read)
        throw std::logic_error(english(read.problem()));
    const Hardware &hardware = *findHardware(preset);
    return simulate(buildPlan(*read, hardware.transport), hardware);
}

OptionValues large(const std::string &mesh)
{
    return {{"scheme", "block"}, {"layers", "96"}, {"hidden", "12288"}, {"mesh", mesh}};
}

/// The first collective of that kind in the plan, as it is summed up.
CollectiveSummary firstOf(const RunSummary &summary, CollectiveOp op, MeshAxis axis)
{
    for (const CollectiveSummary &each : summary.collectives) {
        if (each.op == name(op) && each.axis == axis)
            return each;
    }
    throw std::logic_error("no such collective");
}

constexpr double kGB = 1e9;

} // namespace

class TestScale : public QObject
{
    Q_OBJECT

private slots:
    void groupsLieOnNodes()
    {
        const Hardware &node = *findHardware("h100-8");
        QVERIFY(spanOf({0, 1, 2, 3, 4, 5, 6, 7}, node) == GroupSpan(8));
        QVERIFY(spanOf({0, 8, 16, 24}, node) == GroupSpan(4, 4, 1));
        QVERIFY(spanOf({0, 4, 8, 12}, node) == GroupSpan(4, 2, 2));
        QVERIFY(spanOf({6, 7, 8, 9, 10, 11}, node) == GroupSpan(6, 2, 2)); // neither node has all
        Hardware cores = node;
        cores.sharedCores = 2;
        QVERIFY(spanOf({0, 8, 16, 24}, cores) == GroupSpan(4)); // ranks of one machine
        QCOMPARE(nodesOf(node, 16), 2);
        QCOMPARE(nodesOf(node, 17), 3);
        QCOMPARE(nodesOf(cores, 17), 1);
    }

    void theWidestGroupOfAnAxisCounts()
    {
        const auto spanOfFirst = [](const char *mesh, MeshAxis axis) {
            const Plan plan =
                buildPlan(*readExperiment({{"scheme", "mlp"}, {"ffn", "9216"}, {"mesh", mesh}}), Transport::Nccl);
            for (const Step &step : plan.steps) {
                if (step.collective && step.collective->axis == axis)
                    return widestSpan(plan, step, *findHardware("h100-8"));
            }
            return GroupSpan(0);
        };
        QVERIFY(spanOfFirst("tp=8,dp=4", MeshAxis::Tp) == GroupSpan(8));
        QVERIFY(spanOfFirst("tp=8,dp=4", MeshAxis::Dp) == GroupSpan(4, 4, 1));
        QVERIFY(spanOfFirst("tp=16,dp=2", MeshAxis::Tp) == GroupSpan(16, 2, 8));
        QVERIFY(spanOfFirst("tp=2,dp=8", MeshAxis::Dp) == GroupSpan(8, 2, 4));
        QVERIFY(spanOfFirst("tp=6,dp=4", MeshAxis::Tp) == GroupSpan(6, 2, 2)); // ranks 6 to 11
        QVERIFY(spanOfFirst("tp=4,pp=2", MeshAxis::Pp) == GroupSpan(2));       // both stages on one node
        QVERIFY(spanOfFirst("tp=8,pp=2", MeshAxis::Pp) == GroupSpan(2, 2, 1));
    }

    /// tp inside a node, dp and pp across.
    void sixteenThousandRanks()
    {
        const Run run = predicted(large("tp=8,pp=16,dp=128"));
        const RunSummary summary = summarize(run);
        const std::int64_t h = 12288;
        const std::int64_t tokens = 4 * 64;

        // Activations between the layers: an all-reduce of [tokens, h] in f32 over the 8 ranks of a node.
        const CollectiveSummary tp = firstOf(summary, CollectiveOp::AllReduce, MeshAxis::Tp);
        QCOMPARE(tp.payloadBytes, tokens * h * 4);
        QCOMPARE(tp.sentBytesPerRank, 2 * 7 * tp.payloadBytes / 8);
        const Run oneNode = predicted({{"scheme", "block"}, {"hidden", "12288"}, {"mesh", "tp=8"}});
        const CollectiveSummary alone = firstOf(summarize(oneNode), CollectiveOp::AllReduce, MeshAxis::Tp);
        QCOMPARE(tp.duration->median, alone.duration->median);

        // Gradients of a layer, an eighth of 12 h^2 weights and the small ones, over 128 nodes, one port a rank.
        const CollectiveSummary dp = firstOf(summary, CollectiveOp::AllReduce, MeshAxis::Dp);
        const std::int64_t weights = 12 * h * h / 8 * 4;
        QVERIFY(dp.payloadBytes > weights && dp.payloadBytes < weights + weights / 1000);
        QCOMPARE(dp.sentBytesPerRank, 2 * 127 * dp.payloadBytes / 128);
        const double bytesNs = static_cast<double>(dp.sentBytesPerRank) / kNetworkGBs;
        QVERIFY(dp.duration->median > bytesNs);
        QVERIFY(dp.duration->median < bytesNs + 254 * 14e3 + 20e3); // hops of the ring between nodes, and the base
        QVERIFY(*dp.busbwGBs < kNetworkGBs);

        // A message to the next stage: a twelfth of a node's inside bandwidth.
        const auto send = std::ranges::find_if(run.plan.steps, [](const Step &step) {
            return step.collective && step.collective->op == CollectiveOp::SendRecv;
        });
        const GroupSpan link = widestSpan(run.plan, *send, *findHardware("h100-8"));
        const double seconds = collectiveSeconds(*send->collective, link, *findHardware("h100-8"));
        const double transfer = static_cast<double>(tokens * h * 4) / (kNetworkGBs * kGB);
        QVERIFY(seconds > transfer && seconds < transfer + 30e-6);

        QCOMPARE(run.recordedRanks().size(), std::size_t{16});
        QCOMPARE(run.machine.hosts.size(), std::size_t{2048});
        QCOMPARE(run.machine.devices.size(), std::size_t{1});
        QCOMPARE(summary.step.collectives, summarize(run).step.collectives);
        QVERIFY(hostOf(run, 16'383)->name == "node 2047");
    }

    /// Whoever walks one rank for many must come to what a smaller mesh of the same shape does.
    void replicasChangeOnlyTheirOwnCollectives()
    {
        const auto ofMesh = [](const char *mesh) {
            return summarize(predicted({{"scheme", "block"}, {"layers", "4"}, {"hidden", "1024"}, {"mesh", mesh}}));
        };
        const RunSummary few = ofMesh("tp=8,pp=2,dp=2");
        const RunSummary many = ofMesh("tp=8,pp=2,dp=1024");
        QCOMPARE(many.step.computeNs, few.step.computeNs);
        QCOMPARE(many.step.collectives, few.step.collectives);
        QCOMPARE(many.step.payloadBytes, few.step.payloadBytes);
        QVERIFY(*many.step.elapsedNs > *few.step.elapsedNs);
        const auto sumOf = [](const RunSummary &summary) {
            return firstOf(summary, CollectiveOp::AllReduce, MeshAxis::Dp);
        };
        QCOMPARE(sumOf(many).payloadBytes, sumOf(few).payloadBytes);
        QCOMPARE(sumOf(few).sentBytesPerRank, sumOf(few).payloadBytes);
    }

    void tensorParallelAcrossNodesIsSlower()
    {
        const auto median = [](const char *mesh) {
            const RunSummary summary = summarize(predicted(large(mesh)));
            return firstOf(summary, CollectiveOp::AllReduce, MeshAxis::Tp).duration->median;
        };
        // Eight ports are as fast as the links inside, but every way between nodes has its latency.
        QVERIFY(median("tp=16,dp=2") > 1.05 * median("tp=8,dp=2"));
        // Of six ranks a node may have two: two ports.
        QVERIFY(median("tp=6,dp=4") > 2 * median("tp=8,dp=2"));
    }

    void hostileSizes()
    {
        for (const char *mesh : {"tp=16384", "dp=16384", "tp=2,dp=8192", "tp=4096,pp=4"}) {
            const Run run = predicted({{"scheme", "mlp"}, {"hidden", "65536"}, {"mesh", mesh}, {"layers", "4"}});
            const RunSummary summary = summarize(run);
            QVERIFY2(*summary.step.elapsedNs > 0 && summary.step.sentBytesPerRank > 0, mesh);
            QVERIFY(run.recordedRanks().size() <= 4);
        }
        const Run deep = predicted({{"scheme", "block"}, {"layers", "96"}, {"hidden", "512"}, {"mesh", "pp=96,dp=2"}});
        QCOMPARE(deep.recordedRanks().size(), std::size_t{96});
        QVERIFY(!readExperiment({{"mesh", "tp=16384,dp=2"}}));
        QVERIFY(!readExperiment({{"ranks", "16385"}}));
    }

    void filesStaySmallAndComeBack()
    {
        const Run run = predicted(large("tp=8,pp=16,dp=128"));
        const std::string stream = writeRuns({run});
        QVERIFY2(stream.size() < 8'000'000, std::to_string(stream.size()).c_str());
        const RunFile file = readRuns(stream);
        QVERIFY(file.problems.empty());
        QCOMPARE(file.runs.size(), std::size_t{1});
        const Run &again = file.runs.front();
        QVERIFY(again.spans == run.spans);
        QVERIFY(again.standIns == run.standIns);
        QVERIFY(again.machine == run.machine);
        QCOMPARE(again.completeIterations(), 1);
        QCOMPARE(*summarize(again).step.elapsedNs, *summarize(run).step.elapsedNs);
        QVERIFY(chromeTrace({run}).size() < 8'000'000);
        QVERIFY(runDocument(run).size() < 4'000'000);
        // A smaller run is written rank by rank, as ever.
        const Run small = predicted({{"ranks", "16"}});
        QVERIFY(readRuns(writeRuns({small})).runs.front().standIns.empty());
    }

    void damagedStandInsAreNotTaken()
    {
        const Run run = predicted({{"ranks", "128"}, {"hidden", "512"}});
        std::string stream = writeRuns({run});
        const std::size_t at = stream.find("\"stand_ins\":[0,0,");
        QVERIFY(at != std::string::npos);
        stream.replace(at, 17, "\"stand_ins\":[0,7,");
        QVERIFY(readRuns(stream).runs.front().standIns.empty());
    }
};

QTEST_GUILESS_MAIN(TestScale)
#include "tst_scale.moc"
