// SPDX-License-Identifier: MIT
#include "engine/record/plausible.h"
#include "tests/record/record_fixtures.h"

#include <QTest>
#include <cmath>
#include <limits>

using namespace shardscope;

namespace {

Topology twoGpus()
{
    return {{{0, 16, 1 << 30}},
            {{"0000:1b:00.0", "NVIDIA H100", 1 << 30, 1 << 20, 3, 0, 5, 16, 18, 4},
             {"0000:43:00.0", "NVIDIA H100", 1 << 30, -1, -1, -1, -1, -1, 0, 0}},
            {{0, 1, "NV18", 450}}};
}

} // namespace

class TestPlausible : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatCanBeStays()
    {
        int leftOut = 0;
        QVERIFY(plausible(twoGpus(), leftOut) == twoGpus());
        QCOMPARE(leftOut, 0);
    }

    void pathsNeedTheirGpus()
    {
        Topology topology = twoGpus();
        topology.paths = {{0, 99, "NV2", 50}, {-1, 1, "NV2", 50},  {0, 0, "NV2", 50},
                          {1, 0, "NV2", 50},  {0, 1, "PIX", 31.5}, {0, 1, "PIX", 31.5}};
        int leftOut = 0;
        const Topology kept = plausible(topology, leftOut);
        QVERIFY(kept.paths == (std::vector<GpuPath>{{0, 1, "PIX", 31.5}}));
        QCOMPARE(leftOut, 5);
    }

    void numbersBeyondAnyMachineAreUnknown()
    {
        Topology topology = twoGpus();
        topology.nodes = {
            {0, 0, 1}, {1, -3, 1}, {2, 1'000'000'000, 1}, {3, 8, std::numeric_limits<std::int64_t>::max()}, {3, 8, 1}};
        GpuState &gpu = topology.gpus.front();
        gpu.memoryBytes = -5;
        gpu.freeBytes = 1'000'000'000'000'000'000;
        gpu.busyPercent = 300;
        gpu.pcieGeneration = 999;
        gpu.pcieLanes = 1'000'000'000;
        gpu.nvlinks = 1'000'000'000;
        gpu.nvlinkVersion = -1;
        int leftOut = 0;
        for (const double rate : {1e300, -50.0, 0.0, std::nan("")}) {
            topology.paths.front().expectedGBps = rate;
            leftOut = 0;
            QCOMPARE(plausible(topology, leftOut).paths.front().expectedGBps, -1.0);
        }
        const Topology kept = plausible(topology, leftOut = 0);
        QVERIFY(kept.nodes == (std::vector<NumaNode>{{3, 8, -1}}));
        QCOMPARE(leftOut, 4);
        QVERIFY(kept.gpus.front() == (GpuState{"0000:1b:00.0", "NVIDIA H100", -1, -1, -1, 0, -1, -1, 0, 0}));
        topology.gpus.resize(1000, topology.gpus.front());
        QCOMPARE(plausible(topology, leftOut).gpus.size(), std::size_t{256});
    }

    void namesStayPlainAndShort()
    {
        Topology topology = twoGpus();
        topology.gpus[0].name = std::string("A\0B\033[2J\xE2\x80\xAE"
                                            "C",
                                            11);
        topology.gpus[1].name = std::string(30'000, 'X');
        topology.paths[0].word.assign(79, 'N').append("\xC3\xBC\xC3\xBC");
        int leftOut = 0;
        const Topology kept = plausible(topology, leftOut);
        QCOMPARE(kept.gpus[0].name, std::string("AB[2JC"));
        QCOMPARE(kept.gpus[1].name, std::string(80, 'X'));
        QCOMPARE(kept.paths[0].word, std::string(79, 'N')); // not half of a character
    }

    void loadsAreShares()
    {
        const LoadEvent load = plausible(LoadEvent{1e308, -3, -1, {{101, -7}, {50, 1024}}});
        QVERIFY(load == (LoadEvent{100, 0, 0, {{-1, -1}, {50, 1024}}}));
        QVERIFY(plausible(LoadEvent{std::nan(""), 5, 1, {}}) == (LoadEvent{0, 0, 1, {}}));
    }

    void aRunCountsWhatItLeavesOut()
    {
        Run run = test::makeRun({{"ranks", "2"}});
        Topology topology = twoGpus();
        topology.paths.push_back({0, 7, "NV2", 50});
        run.append(TopologyEvent{topology});
        QVERIFY(run.topology == twoGpus());
        QCOMPARE(run.rejected, 1);
        SpanEvent span = test::spanOf(run.plan.steps.front(), 0, 0, 1000, 500);
        for (const std::int64_t launch : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
            span.launchNs = launch;
            run.append(span);
        }
        QVERIFY(run.spans.empty());
        QCOMPARE(run.rejected, 3);
    }
};

QTEST_APPLESS_MAIN(TestPlausible)
#include "tst_plausible.moc"
