// SPDX-License-Identifier: MIT
#include "engine/plan/hop_schedule.h"
#include "engine/simulate/simulate.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

Collective collective(CollectiveOp op, std::int64_t bytes, Algorithm algorithm = Algorithm::Library)
{
    Collective result;
    result.op = op;
    result.algorithm = algorithm;
    result.wireDtype = DType::BF16;
    result.elements = bytes / 2;
    result.payloadBytes = bytes;
    return result;
}

double microseconds(const char *preset, const Collective &what, int ranks)
{
    return collectiveSeconds(what, ranks, *findHardware(preset)) * 1e6;
}

constexpr std::int64_t kMiB = 1024 * 1024;

/// A link with one protocol, so that formulas can be written down beside it.
Hardware plainLink(double alpha, double gigabytes)
{
    Hardware hardware = *findHardware("h100-8");
    LinkCost link;
    link.alphaSeconds = alpha;
    link.busbwGBs = gigabytes;
    hardware.allReduce = hardware.gatherScatter = {link};
    return hardware;
}

bool isClose(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-15;
}

} // namespace

class TestCostModel : public QObject
{
    Q_OBJECT

private slots:
    /// NCCL's tuner, ring all-reduce of next to nothing (LL): base 6.6 us + 2(N-1) steps of 0.6 us; PCIe measured 24.
    void smallMessagesCostTheRingFloor_data()
    {
        QTest::addColumn<QByteArray>("preset");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("us");
        QTest::newRow("NVLink 2") << QByteArray("h100-8") << 2 << 7.8;
        QTest::newRow("NVLink 4") << QByteArray("h100-8") << 4 << 10.2;
        QTest::newRow("NVLink 8") << QByteArray("h100-8") << 8 << 15.0;
        QTest::newRow("A100 8") << QByteArray("a100-8") << 8 << 15.0;
        QTest::newRow("B200 8") << QByteArray("b200-8") << 8 << 15.0;
        QTest::newRow("NVLS keeps LL for small ones") << QByteArray("h100-8-nvls") << 8 << 15.0;
        QTest::newRow("PCIe 8") << QByteArray("pcie5-8") << 8 << 24.0;
    }

    void smallMessagesCostTheRingFloor()
    {
        QFETCH(QByteArray, preset);
        QFETCH(int, ranks);
        QFETCH(double, us);
        const double predicted = microseconds(preset.constData(), collective(CollectiveOp::AllReduce, 64), ranks);
        QVERIFY2(std::abs(predicted - us) < 0.05, QByteArray::number(predicted).constData());
    }

    /// With one link the latency is that of the hops, and the rest grows with the bytes.
    void latencyIsWhatAnEmptyMessageTakes()
    {
        constexpr double kAlpha = 2e-6;
        const Hardware link = plainLink(kAlpha, 100);
        struct Case {
            CollectiveOp op;
            Algorithm algorithm;
            int hops; ///< on four ranks
        };
        for (const Case &c :
             {Case{CollectiveOp::AllReduce, Algorithm::Library, 6},
              Case{CollectiveOp::AllGather, Algorithm::Library, 3}, Case{CollectiveOp::AllReduce, Algorithm::Ring, 6},
              Case{CollectiveOp::AllReduce, Algorithm::Tree, 4},
              Case{CollectiveOp::AllReduce, Algorithm::HalvingDoubling, 4},
              Case{CollectiveOp::AllReduce, Algorithm::Direct, 1}}) {
            const Collective one = collective(c.op, kMiB, c.algorithm);
            const Collective two = collective(c.op, 2 * kMiB, c.algorithm);
            const double latency = latencySeconds(one, 4, link);
            QVERIFY(isClose(latency, c.hops * kAlpha));
            QVERIFY(isClose(latencySeconds(two, 4, link), latency));
            QVERIFY(
                isClose(collectiveSeconds(two, 4, link) - latency, 2 * (collectiveSeconds(one, 4, link) - latency)));
        }
        // Where a small message takes another protocol, it is that protocol's latency: all but all of 64 bytes.
        const Collective tiny = collective(CollectiveOp::AllReduce, 64);
        const Hardware &h100 = *findHardware("h100-8");
        QVERIFY(latencySeconds(tiny, 8, h100) > 0.99 * collectiveSeconds(tiny, 8, h100));
        QCOMPARE(latencySeconds(tiny, 1, h100), 0.0);
    }

    /// Korthikanti 2022, table 4: 96 MiB on 8 x A100 at 235 GB/s busbw are 0.75 ms of transfer, plus 56 us of latency.
    void theA100LayerOfKorthikanti()
    {
        const double us = microseconds("a100-8", collective(CollectiveOp::AllReduce, 96 * kMiB), 8);
        QVERIFY2(us > 749 && us < 750 + 57, QByteArray::number(us).constData());
    }

    /// 64 MiB at 367 GB/s busbw: 320 us of transfer (317 at 370), plus the latency of protocol Simple.
    void the64MiBOfH100()
    {
        const double us = microseconds("h100-8", collective(CollectiveOp::AllReduce, 64 * kMiB), 8);
        const double transfer = 1.75 * 64 * kMiB / 367e9 * 1e6;
        QVERIFY(std::abs(transfer - 320.0) < 0.1);
        QVERIFY2(std::abs(us - (transfer + 56.0)) < 0.01, QByteArray::number(us).constData());
        // At 370 GB/s and without latency it is the reference's 317 us.
        const double bare = collectiveSeconds(collective(CollectiveOp::AllReduce, 64 * kMiB), 8, plainLink(0, 370));
        QVERIFY(std::abs(bare * 1e6 - 317.4) < 0.1);
    }

    /// Measured on 8 x H200: the switch adds, so the bus bandwidth grows with N (stas00/ml-engineering).
    void theSwitchReaches480OnlyAtEight_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("measured");
        QTest::newRow("4, a ring still") << 4 << 363.3;
        QTest::newRow("5") << 5 << 414.2;
        QTest::newRow("6") << 6 << 435.6;
        QTest::newRow("7") << 7 << 460.0;
        QTest::newRow("8") << 8 << 480.0;
    }

    void theSwitchReaches480OnlyAtEight()
    {
        QFETCH(int, ranks);
        QFETCH(double, measured);
        const std::int64_t size = 8192 * kMiB;
        const double us = microseconds("h100-8-nvls", collective(CollectiveOp::AllReduce, size), ranks);
        const double busbw = 2.0 * (ranks - 1) / ranks * static_cast<double>(size) / us / 1e3;
        QVERIFY2(std::abs(busbw / measured - 1) < 0.07, QByteArray::number(busbw).constData());
    }

    /// NCCL's LL stops at 141 GB/s on Hopper (tuning.cc, llMaxBws), whatever half of the link would be.
    void smallMessagesStopAtTheLimitOfLL()
    {
        const double us = microseconds("h100-8", collective(CollectiveOp::AllReduce, kMiB / 4), 8);
        QVERIFY2(std::abs(us - (15.0 + 1.75 * kMiB / 4 / 141e3)) < 0.01, QByteArray::number(us).constData());
        const double a100 = microseconds("a100-8", collective(CollectiveOp::AllReduce, kMiB / 4), 8);
        QVERIFY2(std::abs(a100 - (15.0 + 1.75 * kMiB / 4 / 87.7e3)) < 0.01, QByteArray::number(a100).constData());
    }

    /// 8 x H200 go from ring LL to the switch between 1 and 2 MiB (stas00/ml-engineering, network/README.md).
    void theSwitchTakesOverWhereItWasSeenTo()
    {
        const auto with = [](std::int64_t bytes, const char *preset) {
            return microseconds(preset, collective(CollectiveOp::AllReduce, bytes), 8);
        };
        QCOMPARE(with(kMiB, "h100-8-nvls"), with(kMiB, "h100-8"));
        QVERIFY(with(2 * kMiB, "h100-8-nvls") < with(2 * kMiB, "h100-8"));
    }

    void theSwitchDoesNotHelpGathers()
    {
        const Collective gather = collective(CollectiveOp::AllGather, 256 * kMiB);
        QCOMPARE(microseconds("h100-8-nvls", gather, 8), microseconds("h100-8", gather, 8));
    }

    /// Our tree is a plain binomial one: 2 log2 N hops, each of them the whole payload.
    void ownAlgorithmsByTheirHops()
    {
        const double alpha = 2e-6;
        const double bandwidth = 100e9;
        const Hardware link = plainLink(alpha, 100);
        const double size = 64.0 * kMiB;
        const auto seconds = [&](Algorithm algorithm) {
            return collectiveSeconds(collective(CollectiveOp::AllReduce, 64 * kMiB, algorithm), 8, link);
        };
        QVERIFY(isClose(seconds(Algorithm::Ring), 14 * alpha + 1.75 * size / bandwidth));
        QVERIFY(isClose(seconds(Algorithm::HalvingDoubling), 6 * alpha + 1.75 * size / bandwidth));
        QVERIFY(isClose(seconds(Algorithm::Tree), 6 * (alpha + size / bandwidth)));
        QVERIFY(isClose(seconds(Algorithm::Direct), alpha + 7 * size / bandwidth));
        QVERIFY(isClose(seconds(Algorithm::Library), seconds(Algorithm::Ring)));
    }

    /// One-shot against two hops of a ring: the crossover of the formula lies where the reference says, near 138 KiB.
    void directWinsForSmallMessagesOnly()
    {
        const Hardware link = plainLink(2e-6, 370);
        const auto faster = [&](std::int64_t bytes) {
            return collectiveSeconds(collective(CollectiveOp::AllReduce, bytes, Algorithm::Direct), 8, link) <
                   collectiveSeconds(collective(CollectiveOp::AllReduce, bytes, Algorithm::Ring), 8, link);
        };
        QVERIFY(faster(64 * 1024));
        QVERIFY(!faster(16 * kMiB));
    }

    void oneRankSendsNothing()
    {
        QCOMPARE(collectiveSeconds(collective(CollectiveOp::AllReduce, kMiB), 1, *findHardware("h100-8")), 0.0);
    }

    /// The roofline's two roofs: a large product by FLOPs, a thin one by bytes.
    void computeIsTheHigherRoof()
    {
        const Hardware &h100 = *findHardware("h100-8");
        Step step;
        step.flops = 1'000'000'000'000;
        step.memoryBytes = 1'000'000;
        QVERIFY(isClose(computeSeconds(step, DType::BF16, h100), 1e12 / (0.65 * 990e12) + 3e-6));
        QVERIFY(isClose(computeSeconds(step, DType::F64, h100), 1e12 / (0.65 * 67e12) + 3e-6)); // tensor cores
        step.flops = 1000;
        step.memoryBytes = 3'350'000'000;
        QVERIFY(isClose(computeSeconds(step, DType::BF16, h100), 1e-3 + 3e-6));
    }

    void anotherSpeedStandsForAnUnknownOne()
    {
        Hardware hardware = *findHardware("h100-8");
        Step step;
        step.flops = 1'000'000'000'000;
        hardware.peakFlops = {{DType::F32, 1e12}, {DType::BF16, 4e12}};
        hardware.efficiency = 1;
        QVERIFY(isClose(computeSeconds(step, DType::F16, hardware), 1 + 3e-6));
        hardware.peakFlops.erase(DType::F32);
        QVERIFY(isClose(computeSeconds(step, DType::F32, hardware), 0.25 + 3e-6));
    }

    void costsGrowWithBytesAndRanks()
    {
        const bool holds = rc::check("a larger payload or one more rank is never cheaper", [] {
            const auto &preset = *rc::gen::elementOf(hardwarePresets());
            const auto op = *rc::gen::element(CollectiveOp::AllReduce, CollectiveOp::AllGather);
            const auto bytes = *rc::gen::inRange<std::int64_t>(2, 1 << 30);
            const auto more = *rc::gen::inRange<std::int64_t>(0, 1 << 30);
            const int ranks = *rc::gen::inRange(2, 64);
            const double base = collectiveSeconds(collective(op, bytes), ranks, preset);
            RC_ASSERT(base > 0);
            RC_ASSERT(collectiveSeconds(collective(op, bytes + more), ranks, preset) >= base * (1 - 1e-12));
            // A fifth rank lets the switch add, and that is faster than the ring of four.
            const bool switchTakesOver = ranks == 4 && std::ranges::any_of(preset.allReduce, &LinkCost::inSwitch);
            if (!switchTakesOver)
                RC_ASSERT(collectiveSeconds(collective(op, bytes), ranks + 1, preset) >= base * (1 - 1e-12));
        });
        QVERIFY(holds);
    }

    void hopsAddUpToTheCollective()
    {
        const bool holds = rc::check("the hops' times sum to the collective's, one per hop of the schedule", [] {
            const auto algorithm = *rc::gen::element(Algorithm::Ring, Algorithm::Tree, Algorithm::Direct);
            const int ranks = *rc::gen::inRange(2, 17);
            const auto what =
                collective(CollectiveOp::AllReduce, *rc::gen::inRange<std::int64_t>(2, 1 << 28), algorithm);
            const Hardware &preset = *findHardware("h100-8-nvls");
            const std::vector<double> hops = hopSeconds(what, ranks, preset);
            RC_ASSERT(hops.size() == hopSchedule(what.op, algorithm, ranks)->hops.size());
            double sum = 0;
            for (const double seconds : hops)
                sum += seconds;
            RC_ASSERT(isClose(sum, collectiveSeconds(what, ranks, preset)));
        });
        QVERIFY(holds);
    }
};

QTEST_GUILESS_MAIN(TestCostModel)
#include "tst_cost_model.moc"
