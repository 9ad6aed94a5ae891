// SPDX-License-Identifier: MIT
#include "tests/simulate/rate_runs.h"

#include <QtTest>

using namespace shardscope;

class TestRatePeaks : public QObject
{
    Q_OBJECT

private slots:
    void sharedCoresShareTheirPeaks()
    {
        const Hardware own = twoCores();
        const Run run = asMeasured({{"scheme", "mlp"}, {"ranks", "2"}, {"hidden", "1024"}}, 1.25);
        const std::vector<RateRow> rows = ratesOf(run, &own);
        const RateRow &products = find(rows, RateKind::MatrixProducts, Pass::Forward);
        QCOMPARE(products.peak->perSecond, 50e9);
        QCOMPARE(products.peak->origin, PeakOrigin::Measured);
        QCOMPARE(english(products.peak->source), std::string("50 GFLOP/s in f32 for each of 2 ranks, their part of "
                                                             "what was measured of this machine: 2 cores"));
        QVERIFY(isClose(*products.share, 0.8, 0.01));
        const RateRow &sum = find(rows, RateKind::Collective, Pass::Forward);
        QCOMPARE(sum.peak->perSecond, 2e9);
        QCOMPARE(sum.peak->origin, PeakOrigin::Measured);
        QVERIFY(english(sum.peak->source).find("the best bus bandwidth measured") != std::string::npos);
    }

    /// Four ranks on two cores: every hop waits for its turn.
    void crowdedCoresHaveSlowerLinks()
    {
        const Hardware own = twoCores();
        const Run run = asMeasured({{"scheme", "row"}, {"ranks", "4"}}, 1);
        QCOMPARE(find(ratesOf(run, &own), RateKind::Collective, Pass::Forward).peak->perSecond, 1e9);
    }

    void aRunIsHeldAgainstItsOwnMachineOnly()
    {
        const Hardware own = twoCores();
        Run run = asMeasured({{"scheme", "row"}, {"ranks", "2"}}, 1);
        QCOMPARE(peaksFor(run, &own), &own);
        QVERIFY(!peaksFor(run, nullptr));
        QCOMPARE(whyNoPeaks(run).id, TextId::RatesUnmeasured);
        run.machine.host = "4 cores";
        QVERIFY(!peaksFor(run, &own));
        run.machine.host = "2 cores";
        run.source = Source::Recorded;
        QVERIFY(!peaksFor(run, &own));
        QCOMPARE(whyNoPeaks(run).id, TextId::RatesRecorded);
        for (const RateRow &row : ratesOf(run, &own)) {
            QVERIFY(row.perSecond.has_value());
            QVERIFY(!row.peak && !row.share && row.limit == RateLimit::Unknown);
        }
        // A prediction for this machine, made when it was another.
        Run here = predicted({{"scheme", "row"}, {"ranks", "2"}}, own);
        QCOMPARE(peaksFor(here, &own), &own);
        here.machine.host = "this machine: 4 cores";
        QVERIFY(!peaksFor(here, &own));
        QCOMPARE(whyNoPeaks(here).id, TextId::RatesNoPreset);
    }

    void gpusFindThePresetOfTheirCard()
    {
        QCOMPARE(peaksFor(onGpus(kLarge, "NVIDIA H100 80GB HBM3", 8), nullptr), findHardware("h100-8"));
        // The same chip on a PCIe board has other peaks.
        for (const char *card : {"NVIDIA H100 PCIe", "NVIDIA H200", "NVIDIA A100-SXM4-40GB"}) {
            const Run run = onGpus(kLarge, card, 8);
            QVERIFY(!peaksFor(run, nullptr));
            QCOMPARE(whyNoPeaks(run).id, TextId::RatesUnknownCard);
            QVERIFY(english(whyNoPeaks(run)).find(card) != std::string::npos);
        }
        const Run shared = onGpus(kLarge, "NVIDIA H100 80GB HBM3", 4);
        QVERIFY(!peaksFor(shared, nullptr));
        QCOMPARE(whyNoPeaks(shared).id, TextId::RatesSharedGpu);
    }

    /// GPUs 0 and 1 are joined by NVLink, 2 and 3 too, and both pairs through PCIe.
    void theSlowestPairThatIsUsedIsTheLink()
    {
        Topology topology;
        topology.gpus.resize(4);
        for (int from = 0; from < 4; ++from) {
            for (int to = from + 1; to < 4; ++to) {
                const bool joined = from / 2 == to / 2;
                topology.paths.push_back({from, to, joined ? "NV4" : "SYS", joined ? 100.0 : 31.5});
            }
        }
        OptionValues options{{"scheme", "block"}, {"mesh", "tp=2,dp=2"}};
        Run run = onGpus(options, "NVIDIA A100-SXM4-80GB", 4);
        run.topology = topology;
        for (const RateRow &row : ratesOf(run)) {
            if (row.kind != RateKind::Collective)
                continue;
            QCOMPARE(row.peak->perSecond, row.axis == MeshAxis::Tp ? 100e9 : 31.5e9);
            QCOMPARE(row.peak->origin, PeakOrigin::LinkSpecification);
            const std::string word = row.axis == MeshAxis::Tp ? "NV4" : "SYS";
            QVERIFY(english(row.peak->source).find(word) != std::string::npos);
        }
    }

    void beyondANodeThePortsAreThePeak()
    {
        OptionValues two = kLarge;
        two["ranks"] = "16";
        const RateRow &sum = find(ratesOf(predicted(two)), RateKind::Collective, Pass::Forward);
        // Eight members in a node have a port of 50 GB/s each, and the link inside carries 450.
        QCOMPARE(sum.peak->perSecond, 400e9);
        QCOMPARE(sum.peak->source.id, TextId::PeakPorts);
        QVERIFY(*sum.share < 1);
        // An A100's link carries less than its node's ports together.
        const RateRow &slower = find(ratesOf(predicted(two, "a100-8")), RateKind::Collective, Pass::Forward);
        QCOMPARE(slower.peak->perSecond, 300e9);
        QCOMPARE(slower.peak->source.id, TextId::PeakLink);
    }

    void whatIsPredictedSaysWhatItAssumes()
    {
        const Run run = predicted(kLarge);
        const std::string text = english(*rateAssumptions(run, *findHardware("h100-8")));
        QVERIFY(text.find("65 %") != std::string::npos && text.find("367 GB/s") != std::string::npos);
        QVERIFY(!rateAssumptions(asMeasured({{"ranks", "2"}}, 1), twoCores()));
        QVERIFY(isClose(ridgeOf(*findHardware("h100-8"), DType::BF16), 990e12 / 3350e9));
    }
};

QTEST_GUILESS_MAIN(TestRatePeaks)
#include "tst_rate_peaks.moc"
