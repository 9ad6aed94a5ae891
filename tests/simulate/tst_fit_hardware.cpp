// SPDX-License-Identifier: MIT
#include "engine/simulate/simulate.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

constexpr std::array kSizes{4096, 65536, 1 << 20, 1 << 22, 1 << 24};

/// What a machine with that latency and bandwidth would measure; `noise` multiplies every time.
std::vector<BandwidthEvent> ring(CollectiveOp op, int ranks, double alpha, double gigabytes, double crowd = 1)
{
    std::vector<BandwidthEvent> events;
    for (const int size : kSizes) {
        const bool allReduce = op == CollectiveOp::AllReduce;
        const double hops = allReduce ? 2.0 * (ranks - 1) : ranks - 1.0;
        const double wire = hops / ranks * size;
        const double seconds = (hops * alpha + wire / (gigabytes * 1e9)) * crowd;
        events.push_back({op, ranks, size, std::llround(wire), std::llround(seconds * 1e9)});
    }
    return events;
}

const std::vector<ComputeEvent> kCompute{{DType::F32, 2, 40e9, 8e9, 3000}};

Machine machine(const char *host = "2 cores, some CPU")
{
    Machine result;
    result.backend = "gloo";
    result.host = host;
    return result;
}

bool within(double value, double expected, double share)
{
    return std::abs(value / expected - 1) <= share;
}

} // namespace

class TestFitHardware : public QObject
{
    Q_OBJECT

private slots:
    void knownAlphaAndBetaComeBack()
    {
        const bool holds = rc::check("the fit finds what the data were made of", [] {
            const double alpha = *rc::gen::inRange(1, 1000) * 1e-6;
            const double gigabytes = *rc::gen::inRange(1, 400) * 0.1;
            const int ranks = *rc::gen::inRange(2, 9);
            const auto events = ring(CollectiveOp::AllReduce, ranks, alpha, gigabytes);
            const auto fit = fitHardware(events, kCompute, machine("64 cores, many"));
            RC_ASSERT(fit.ok());
            RC_ASSERT(within(fit->allReduce.front().alphaSeconds, alpha, 0.02));
            // Where latency hides the transfer even of the largest message, nobody can know the bandwidth.
            const double largest = static_cast<double>(kSizes.back()) / ranks / (gigabytes * 1e9);
            if (largest > alpha)
                RC_ASSERT(within(fit->allReduce.front().busbwGBs, gigabytes, 0.02));
        });
        QVERIFY(holds);
    }

    void oneSpoiledPointHardlyMatters()
    {
        auto events = ring(CollectiveOp::AllReduce, 2, 50e-6, 1.2);
        for (int more = 0; more < 2; ++more) {
            const auto again = ring(CollectiveOp::AllReduce, 2, 50e-6, 1.2);
            events.insert(events.end(), again.begin(), again.end());
        }
        events[2].medianNs *= 10; // the scheduler took a core away
        const auto fit = fitHardware(events, kCompute, machine());
        QVERIFY(fit.ok());
        QVERIFY2(within(fit->allReduce.front().alphaSeconds, 50e-6, 0.1),
                 QByteArray::number(fit->allReduce.front().alphaSeconds).constData());
        QVERIFY(within(fit->allReduce.front().busbwGBs, 1.2, 0.1));
    }

    void neitherIsEverNegative()
    {
        const bool holds = rc::check("whatever was measured", [] {
            std::vector<BandwidthEvent> events;
            for (const int size : kSizes)
                events.push_back(
                    {CollectiveOp::AllReduce, 2, size, size, *rc::gen::inRange<std::int64_t>(1, 1'000'000'000)});
            const auto fit = fitHardware(events, kCompute, machine());
            RC_ASSERT(fit.ok());
            RC_ASSERT(fit->allReduce.front().alphaSeconds >= 0);
            RC_ASSERT(fit->allReduce.front().busbwGBs > 0);
            RC_ASSERT(std::isfinite(fit->allReduce.front().busbwGBs));
        });
        QVERIFY(holds);
    }

    /// Measured with two ranks, asked for eight on the same two cores: per hop as measured, times the crowding.
    void otherNumbersOfRanksFollowPerHop()
    {
        const auto fit = fitHardware(ring(CollectiveOp::AllReduce, 2, 50e-6, 1.2), kCompute, machine());
        QVERIFY(fit.ok());
        Collective tiny;
        tiny.op = CollectiveOp::AllReduce;
        tiny.elements = 1;
        QVERIFY(within(collectiveSeconds(tiny, 2, *fit), 2 * 50e-6, 0.01));
        QVERIFY(within(collectiveSeconds(tiny, 8, *fit), 14 * 50e-6 * 4, 0.01));
    }

    void fittingAndPredictingAreInverseWhenCrowded()
    {
        // Four ranks on two cores: all measured times are doubled by the crowding that prediction adds again.
        const auto fit = fitHardware(ring(CollectiveOp::AllReduce, 4, 50e-6, 1.2, 2), kCompute, machine());
        QVERIFY(fit.ok());
        QVERIFY(within(fit->allReduce.front().alphaSeconds, 50e-6, 0.02));
        Collective large;
        large.op = CollectiveOp::AllReduce;
        large.elements = (1 << 24) / 4;
        const double measured = static_cast<double>(ring(CollectiveOp::AllReduce, 4, 50e-6, 1.2, 2).back().medianNs);
        QVERIFY(within(collectiveSeconds(large, 4, *fit) * 1e9, measured, 0.02));
    }

    void gathersHaveALinkOfTheirOwn()
    {
        auto events = ring(CollectiveOp::AllReduce, 2, 50e-6, 1.2);
        const auto gathers = ring(CollectiveOp::AllGather, 2, 20e-6, 0.6);
        events.insert(events.end(), gathers.begin(), gathers.end());
        const auto fit = fitHardware(events, kCompute, machine());
        QVERIFY(fit.ok());
        QVERIFY(within(fit->gatherScatter.front().alphaSeconds, 20e-6, 0.02));
        QVERIFY(within(fit->gatherScatter.front().busbwGBs, 0.6, 0.02));
        QVERIFY(within(fit->allReduce.front().busbwGBs, 1.2, 0.02));
    }

    void computeIsTheWholeMachines()
    {
        const auto fit = fitHardware(ring(CollectiveOp::AllReduce, 2, 50e-6, 1.2), kCompute, machine());
        QVERIFY(fit.ok());
        QCOMPARE(fit->name, std::string("this"));
        QCOMPARE(fit->sharedCores, 2);
        QCOMPARE(fit->efficiency, 1.0);
        QCOMPARE(fit->peakFlops.at(DType::F32), 80e9);
        QCOMPARE(shareOf(*fit, 2).peakFlops.at(DType::F32), 40e9);
        QCOMPARE(shareOf(*fit, 2).memoryBytesPerSecond, 8e9);
    }

    /// Gloo sums bf16 as f32: the payload says half of what travels, and the prediction counts what travels. Measured
    /// beside f32 it is the same line.
    void bf16TravelsAsF32()
    {
        const auto travelled = ring(CollectiveOp::AllReduce, 2, 50e-6, 1.2);
        auto events = travelled;
        for (BandwidthEvent &event : events)
            event.payloadBytes /= 2;
        events.insert(events.end(), travelled.begin(), travelled.end());   // f32
        const auto gathers = ring(CollectiveOp::AllGather, 2, 20e-6, 0.6); // only moved: as it is
        events.insert(events.end(), gathers.begin(), gathers.end());
        const auto fit = fitHardware(events, {{DType::BF16, 2, 80e9, 8e9, 3000}}, machine());
        QVERIFY(fit.ok());
        QVERIFY(within(fit->allReduce.front().busbwGBs, 1.2, 0.02));
        QVERIFY(within(fit->gatherScatter.front().busbwGBs, 0.6, 0.02));
        Collective c;
        c.op = CollectiveOp::AllReduce;
        c.elements = (1 << 24) / 4; // of 4 bytes on the wire
        c.wireDtype = DType::F32;
        QVERIFY(within(collectiveSeconds(c, 2, *fit) * 1e9, static_cast<double>(travelled.back().medianNs), 0.02));
    }

    /// What was not measured is not claimed.
    void onlyMeasuredSpeedsAreKnown()
    {
        const auto fit =
            fitHardware(ring(CollectiveOp::AllReduce, 2, 50e-6, 1.2), {{DType::BF16, 2, 80e9, 8e9, 3000}}, machine());
        QVERIFY(fit.ok());
        QVERIFY(!fit->peakFlops.contains(DType::F32));
        QCOMPARE(speedStandsFor(*fit, DType::F32), DType::BF16);
        QCOMPARE(speedStandsFor(*fit, DType::BF16), DType::BF16);
    }

    /// The window keeps this machine's numbers between its starts.
    void aFitIsReadBack()
    {
        for (const DType dtype : {DType::F32, DType::BF16}) {
            const auto fit =
                fitHardware(ring(CollectiveOp::AllReduce, 2, 50e-6, 1.2), {{dtype, 2, 80e9, 8e9, 3000}}, machine());
            QVERIFY(fit.ok());
            const auto again = parseHardware(toJson(*fit));
            QVERIFY2(again.ok(), again.ok() ? "" : english(again.problem()).c_str());
            QCOMPARE(again->name, std::string("this"));
            QCOMPARE(again->sharedCores, 2);
            QVERIFY(within(again->peakFlops.at(dtype), fit->peakFlops.at(dtype), 1e-12));
            QVERIFY(within(again->allReduce.front().busbwGBs, fit->allReduce.front().busbwGBs, 1e-12));
        }
    }

    void whatIsMissingIsNamed()
    {
        const auto events = ring(CollectiveOp::AllReduce, 2, 50e-6, 1.2);
        QCOMPARE(fitHardware({}, kCompute, machine()).problem().id, TextId::FitNeedsSizes);
        QCOMPARE(fitHardware({events[0]}, kCompute, machine()).problem().id, TextId::FitNeedsSizes);
        QCOMPARE(fitHardware({events[0], events[0]}, kCompute, machine()).problem().id, TextId::FitNeedsSizes);
        QCOMPARE(fitHardware(events, {}, machine()).problem().id, TextId::FitNeedsCompute);
        // One rank alone measures no link.
        auto alone = events;
        for (BandwidthEvent &event : alone)
            event.ranks = 1;
        QCOMPARE(fitHardware(alone, kCompute, machine()).problem().id, TextId::FitNeedsSizes);
    }
};

QTEST_GUILESS_MAIN(TestFitHardware)
#include "tst_fit_hardware.moc"
