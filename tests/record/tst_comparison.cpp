// SPDX-License-Identifier: MIT
#include "engine/record/comparison.h"

#include <QTest>

#include "tests/record/record_fixtures.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

using Runs = std::map<Phase, Run>;

const std::map<Phase, std::string> kPhaseNames{
    {Phase::Training, "training"}, {Phase::Prefill, "prefill"}, {Phase::Decode, "decode"}};

/// The three phases of a scheme; `collectiveNs` is what one collective takes in that phase on that rank.
Runs phasesOf(const std::string &scheme, int ranks, const std::function<std::int64_t(Phase, int rank)> &collectiveNs,
              const OptionValues &more = {})
{
    Runs runs;
    for (const auto &[phase, phaseName] : kPhaseNames) {
        OptionValues options = layer(scheme, phaseName, ranks);
        options.insert(more.begin(), more.end());
        Run run = makeRun(options);
        addIterations(run, 3,
                      collectivesTake([&collectiveNs, p = phase](int rank, int) { return collectiveNs(p, rank); }));
        runs.emplace(phase, std::move(run));
    }
    return runs;
}

PhaseComparison compare(const Runs &runs)
{
    std::map<Phase, const Run *> pointers;
    for (const auto &[phase, run] : runs)
        pointers[phase] = &run;
    return comparePhases(pointers);
}

std::string finding(const Runs &runs, bool perToken = false)
{
    return english(findingOf(compare(runs), perToken));
}

/// 1 MiB in 1 ms, 16 KiB in 375 us: decode moves at a 24th of the bandwidth.
std::int64_t latencyBound(Phase phase, int)
{
    return phase == Phase::Decode ? 375'000 : 1'000'000;
}

void verifyContains(const std::string &text, std::initializer_list<const char *> parts)
{
    for (const char *part : parts)
        QVERIFY2(text.find(part) != std::string::npos, (text + "  <-  " + part).c_str());
    QVERIFY2(text.find('{') == std::string::npos, text.c_str());
}

/// A run whose compute steps take `computeNs` and whose collectives take `collectiveNs` on rank 0, `waitNs` more on
/// the others.
Run timed(int ranks, std::int64_t computeNs, std::int64_t collectiveNs, std::int64_t waitNs = 0, int threads = 1)
{
    OptionValues options = layer("mlp", "prefill", ranks);
    options["threads"] = std::to_string(threads);
    Run run = makeRun(options);
    addIterations(run, 3, [=](const Step &step, int rank, int) {
        return step.collective ? collectiveNs + (rank > 0 ? waitNs : 0) : computeNs;
    });
    return run;
}

} // namespace

class TestComparison : public QObject
{
    Q_OBJECT

private slots:
    void mlpDoublesInTraining()
    {
        const PhaseComparison comparison = compare(phasesOf("mlp", 2, latencyBound));
        QCOMPARE(*comparison.trainingToPrefill.collectives, 2.0);
        QCOMPARE(*comparison.trainingToPrefill.sentBytes, 2.0);
        QCOMPARE(*comparison.trainingToPrefill.communicationTime, 2.0);
        QCOMPARE(*comparison.decodeToTrainingPerToken.collectives, 32.0);
        QCOMPARE(*comparison.decodeToTrainingPerToken.sentBytes, 0.5);
        // 375 us / 4 tokens against 2 ms / 256 tokens.
        QCOMPARE(*comparison.decodeToTrainingPerToken.communicationTime, 12.0);
    }

    void rowAddsNothingInTraining()
    {
        const PhaseComparison comparison = compare(phasesOf("row", 2, latencyBound));
        QCOMPARE(*comparison.trainingToPrefill.collectives, 1.0);
        QCOMPARE(*comparison.trainingToPrefill.sentBytes, 1.0);
    }

    void columnHasNoRatio()
    {
        const PhaseComparison comparison = compare(phasesOf("column", 2, latencyBound));
        QVERIFY(!comparison.trainingToPrefill.collectives);
        QVERIFY(!comparison.trainingToPrefill.sentBytes);
        QVERIFY(!comparison.trainingToPrefill.communicationTime);
        QCOMPARE(*comparison.decodeToTrainingPerToken.collectives, 0.0);
    }

    void plannedCountsGiveRatiosWithoutTimes()
    {
        Runs runs;
        for (const auto &[phase, phaseName] : kPhaseNames)
            runs.emplace(phase, makeRun(layer("mlp", phaseName, 2)));
        const PhaseComparison comparison = compare(runs);
        QCOMPARE(*comparison.trainingToPrefill.collectives, 2.0);
        QVERIFY(!comparison.trainingToPrefill.communicationTime);
        QCOMPARE(english(findingOf(comparison, false)),
                 std::string("A training step calls 2.0x the collectives of a prefill and sends 2.0x the bytes"));
        QCOMPARE(english(findingOf(comparison, true)),
                 std::string("Per token, decode calls 32x the collectives of training and sends 0.5x the bytes"));
    }

    void latencyIsNamedWithItsNumbers()
    {
        const Runs runs = phasesOf("mlp", 2, latencyBound);
        verifyContains(finding(runs),
                       {"calls 2.0x the collectives", "sends 2.0x the bytes", "12x the communication time",
                        "message of 16 KiB pays the latency", "43.7 MB/s", "1 MiB: 1.05 GB/s"});
        verifyContains(finding(runs, true), {"32x the collectives", "0.5x the bytes", "12x", "latency", "16 KiB"});
    }

    void latencyIsNotClaimedWithoutTheNumbers()
    {
        // Decode's small messages move as fast as prefill's: 1 MiB in 6.4 ms, 16 KiB in 100 us. Time follows bytes.
        const std::string sentence = finding(phasesOf(
            "mlp", 2, [](Phase phase, int) -> std::int64_t { return phase == Phase::Decode ? 100'000 : 6'400'000; }));
        verifyContains(sentence, {"2.0x the collectives", "0.5x the communication time"});
        QVERIFY2(sentence.find("latency") == std::string::npos, sentence.c_str());
    }

    void waitingIsNamedWhenItDominates()
    {
        const std::string sentence = finding(phasesOf("mlp", 2, [](Phase phase, int rank) -> std::int64_t {
            return phase == Phase::Decode && rank == 0 ? 4'000'000 : 1'000'000;
        }));
        verifyContains(sentence, {"75 % of it waiting"});
        QVERIFY2(sentence.find("latency") == std::string::npos, sentence.c_str());
    }

    void equalRatioIsSaidAsEqual()
    {
        verifyContains(finding(phasesOf("row", 2, latencyBound)),
                       {"calls as many collectives as a prefill (1)", "sends the same 1 MiB per rank", "24x"});
    }

    void equalRatioWithoutTimes()
    {
        Runs runs;
        for (const auto &[phase, phaseName] : kPhaseNames)
            runs.emplace(phase, makeRun(layer("row", phaseName, 2)));
        verifyContains(finding(runs), {"as many collectives as a prefill (1)", "its backward pass adds none"});
    }

    void undefinedRatioIsSaidWithoutOne()
    {
        const Runs runs = phasesOf("column", 4, latencyBound);
        verifyContains(finding(runs), {"Only training communicates", "forward pass 0", "backward pass 1", "1.5 MiB",
                                       "takes up to 1 ms", "prefill and decode send nothing"});
        verifyContains(finding(runs, true), {"training sends 6 KiB per rank", "decode sends nothing"});
    }

    void noCollectivesAtAll()
    {
        Runs runs;
        for (const auto &[phase, phaseName] : kPhaseNames) {
            OptionValues options = layer("column", phaseName, 2);
            if (phase == Phase::Training)
                options["input-gradient"] = "off";
            runs.emplace(phase, makeRun(options));
        }
        verifyContains(finding(runs), {"No phase calls a collective"});
        verifyContains(finding(runs, true), {"No phase calls a collective"});
    }

    void oneRankCommunicatesNothing()
    {
        verifyContains(finding(phasesOf("mlp", 1, latencyBound)),
                       {"With one rank nothing is communicated", "a training step takes"});
    }

    void missingPhasesGiveNoFinding()
    {
        Runs runs = phasesOf("mlp", 2, latencyBound);
        runs.erase(Phase::Decode);
        verifyContains(finding(runs), {"calls 2.0x the collectives of a prefill and sends 2.0x the bytes"});
        QCOMPARE(findingOf(compare(runs), true).id, TextId::NoReason);
        QCOMPARE(findingOf(compare({}), false).id, TextId::NoReason);
    }

    void speedupFaster()
    {
        const auto text = speedupFinding(timed(1, 10'000'000, 0), timed(2, 5'000'000, 1'000'000));
        QVERIFY(text);
        QCOMPARE(text->id, TextId::SpeedupFaster);
        verifyContains(english(*text), {"2 ranks finish the step 1.9x as fast", "communication adds 1 ms"});
    }

    /// Rank 1 computes less and waits 80 us for rank 0; compute and what communication adds are the step all the same.
    void partsOfTheSpeedupAddUp()
    {
        Run many = makeRun(layer("mlp", "prefill", 2));
        addIterations(many, 3, [](const Step &step, int rank, int) -> std::int64_t {
            if (step.collective)
                return rank == 0 ? 10'000 : 90'000;
            return rank == 0 ? 50'000 : 30'000;
        });
        const auto text = speedupFinding(timed(1, 100'000, 0), many);
        QVERIFY(text);
        verifyContains(english(*text),
                       {"(260 us instead of 500 us)", "the slowest computes for 250 us instead of 500 us",
                        "communication adds 10 us"});
    }

    void speedupNamesTheCause_data()
    {
        QTest::addColumn<int>("computeUs");
        QTest::addColumn<int>("collectiveUs");
        QTest::addColumn<int>("waitUs");
        QTest::addColumn<int>("threadsOfOne");
        QTest::addColumn<double>("largeGBs");
        QTest::addColumn<int>("id");
        const auto row = [](const char *name, int compute, int collective, int wait, int threads, double large,
                            TextId id) {
            QTest::newRow(name) << compute << collective << wait << threads << large << static_cast<int>(id);
        };
        // One rank computes 100 us a step; half of that is 50. The payload is 1 MiB.
        row("compute did not shrink", 100, 10, 0, 1, 0, TextId::SpeedupCompute);
        row("one rank used two threads", 100, 10, 0, 2, 0, TextId::SpeedupThreads);
        row("communication, no reference", 50, 1000, 0, 1, 0, TextId::SpeedupCommunication);
        row("communication is slow for its size", 50, 1000, 0, 1, 10, TextId::SpeedupLatency);
        row("communication at full bandwidth", 50, 1000, 0, 1, 1.2, TextId::SpeedupBandwidth);
        row("communication is waiting", 50, 100, 1000, 1, 10, TextId::SpeedupWaiting);
    }
    void speedupNamesTheCause()
    {
        QFETCH(int, computeUs);
        QFETCH(int, collectiveUs);
        QFETCH(int, waitUs);
        QFETCH(int, threadsOfOne);
        QFETCH(double, largeGBs);
        QFETCH(int, id);
        const Run one = timed(1, 100'000, 0, 0, threadsOfOne);
        const Run many = timed(2, computeUs * 1000, collectiveUs * 1000, waitUs * 1000);
        const auto text = speedupFinding(one, many, largeGBs > 0 ? std::optional(largeGBs) : std::nullopt);
        QVERIFY(text);
        QCOMPARE(static_cast<int>(text->id), id);
        verifyContains(english(*text), {"2 ranks take"});
    }

    /// With four ranks a rank sends 1.5 times the payload: bytes and GB/s of the sentence are both what it sends.
    void bandwidthIsThatOfTheBytesSent()
    {
        const auto text = speedupFinding(timed(1, 100'000, 0), timed(4, 25'000, 1'048'576), 1.2);
        QVERIFY(text);
        QCOMPARE(text->id, TextId::SpeedupBandwidth);
        verifyContains(english(*text), {"1.5 MiB per rank move at 1.5 GB/s"});
    }

    /// Whiskers that overlap: another run may turn the two round.
    void speedupThatIsNone()
    {
        const auto noisy = [](int ranks, std::int64_t computeNs) {
            Run run = makeRun(layer("mlp", "prefill", ranks));
            addIterations(run, 5, [=](const Step &step, int, int iteration) {
                return step.collective ? 1000 : computeNs + (iteration - 2) * 20'000;
            });
            return run;
        };
        const auto text = speedupFinding(noisy(1, 120'000), noisy(2, 100'000));
        QCOMPARE(text->id, TextId::SpeedupUnclear);
        verifyContains(english(*text), {"differ less than they vary", "501 us (p10 341 us, p90 661 us)", "600 us"});
        QCOMPARE(speedupFinding(noisy(1, 300'000), noisy(2, 180'000))->id, TextId::SpeedupFaster);
    }

    /// GPUs share no cores: what does not shrink is what starting the operations takes.
    void startsAreNotDivided()
    {
        const auto predicted = [](int ranks, std::int64_t computeNs, int starts) {
            Run run = makeRun(layer("mlp", "prefill", ranks), "nccl");
            run.hardware = "h100-8";
            run.starts = starts;
            run.startNs = 3'000;
            addIterations(run, 1, [=](const Step &step, int, int) { return step.collective ? 1'000 : computeNs; });
            return run;
        };
        const auto text = speedupFinding(predicted(1, 4'000, 5), predicted(8, 4'000, 5));
        QCOMPARE(text->id, TextId::SpeedupLaunches);
        verifyContains(english(*text), {"1/8 of one rank's 20 us would be 2.5 us", "starting an operation takes 3 us",
                                        "the rank's 5 starts are not divided by 8; communication adds 1 us"});
        // 2 us of 40 us too much are starts: not the cause.
        QCOMPARE(speedupFinding(predicted(1, 8'000, 1), predicted(8, 7'900, 1))->id, TextId::SpeedupUndivided);
    }

    /// Communication that varies more than it differs gives no factor.
    void noFactorOfNoise()
    {
        Runs runs = phasesOf("mlp", 2, latencyBound);
        for (const Phase phase : {Phase::Training, Phase::Decode}) {
            // Per token 7.8 us a token in training, 10 in decode, and each varies fourfold.
            const std::int64_t middle = phase == Phase::Training ? 1'000'000 : 40'000;
            Run run = makeRun(layer("mlp", kPhaseNames.at(phase), 2));
            addIterations(run, 5, [=](const Step &step, int, int iteration) {
                return step.collective ? middle * (iteration + 1) / 3 : kComputeNs;
            });
            runs.insert_or_assign(phase, std::move(run));
        }
        const std::string words = finding(runs);
        verifyContains(words, {"calls 2.0x the collectives of a prefill and sends 2.0x the bytes"});
        QVERIFY2(words.find("communication time") == std::string::npos, words.c_str());
    }

    void speedupNeedsOneAndMany()
    {
        const Run one = timed(1, 100'000, 0);
        const Run many = timed(2, 50'000, 1000);
        QVERIFY(!speedupFinding(many, many));
        QVERIFY(!speedupFinding(one, one));
        QVERIFY(!speedupFinding(one, makeRun(layer("mlp", "prefill", 2))));
    }
};

QTEST_GUILESS_MAIN(TestComparison)
#include "tst_comparison.moc"
