// SPDX-License-Identifier: MIT
// From which size on N ranks are faster than one, and what the output's dependence on N says.
#include "engine/record/comparison.h"
#include "engine/record/crossover.h"
#include "engine/record/summation.h"
#include "tests/record/record_fixtures.h"

#include <QTest>

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// A decode step whose compute takes `computeNs` a step of the plan, and each collective `collectiveNs`.
Run decode(int ranks, int batch, std::int64_t computeNs, std::int64_t collectiveNs)
{
    OptionValues options = layer("mlp", "decode", ranks);
    options["batch"] = std::to_string(batch);
    Run run = makeRun(options);
    addIterations(run, 3, [=](const Step &step, int, int) { return step.collective ? collectiveNs : computeNs; });
    return run;
}

/// One rank's compute grows with the batch; on four it is a quarter, and a collective costs 100 us at any size.
std::vector<Run> lowLoad(const std::vector<int> &batches, std::int64_t latencyNs)
{
    std::vector<Run> runs;
    for (const int batch : batches) {
        runs.push_back(decode(1, batch, 10'000 * batch, 0));
        runs.push_back(decode(4, batch, 2'500 * batch, latencyNs));
    }
    return runs;
}

std::vector<const Run *> pointers(const std::vector<Run> &runs)
{
    std::vector<const Run *> all;
    for (const Run &run : runs)
        all.push_back(&run);
    return all;
}

Run withCheck(const CheckEvent &check, int ranks = 4)
{
    Run run = makeRun(layer("mlp", "training", ranks));
    run.append(check);
    return run;
}

CheckEvent output(double fromWhole, double fromPieces)
{
    CheckEvent check{"Y", 4e-7, 1e-5, true};
    check.wholeError = 5e-7;
    check.piecesError = 4e-7;
    check.fromWhole = fromWhole;
    check.fromPieces = fromPieces;
    return check;
}

} // namespace

class TestCrossover : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theCrossingIsFound()
    {
        // Five steps of compute: one rank takes 50 us a sequence, four 12.5 us and the latency.
        const std::vector<Run> runs = lowLoad({1, 2, 4, 8, 16}, 100'000);
        const auto found = crossoverOf(pointers(runs), "batch", 4);
        QVERIFY(found.has_value());
        QCOMPARE(found->points.size(), 5U);
        QCOMPARE(found->from, std::optional<std::int64_t>(4)); // 200 us against 150 us
        QCOMPARE(found->finding, (Text{TextId::CrossoverFrom, {"4", "batch", "4", "2"}}));
        QCOMPARE(found->causeAt, 2);
        // Messages of 16 sequences go eight times as fast as those of 2: latency is the cause.
        QVERIFY(found->cause.has_value());
        QCOMPARE(found->cause->id, TextId::SpeedupLatency);
    }

    void alwaysAndNever()
    {
        const std::vector<Run> fast = lowLoad({1, 2}, 1'000);
        const auto always = crossoverOf(pointers(fast), "batch", 4);
        QCOMPARE(always->finding, (Text{TextId::CrossoverAlways, {"4", "batch", "1", "2"}}));
        QCOMPARE(always->from, std::optional<std::int64_t>(1));
        QCOMPARE(always->cause->id, TextId::SpeedupFaster);
        const std::vector<Run> slow = lowLoad({1, 2}, 1'000'000);
        const auto never = crossoverOf(pointers(slow), "batch", 4);
        QCOMPARE(never->finding, (Text{TextId::CrossoverNever, {"4", "batch", "1", "2"}}));
        QVERIFY(!never->from);
        QCOMPARE(never->causeAt, 1);
        // Twice the size is too near to tell latency from bandwidth.
        QCOMPARE(never->cause->id, TextId::SpeedupCommunication);
    }

    void severalCrossingsAreNoCrossing()
    {
        std::vector<Run> runs;
        const auto add = [&](int batch, std::int64_t oneNs, std::int64_t manyNs) {
            runs.push_back(decode(1, batch, oneNs, 0));
            runs.push_back(decode(4, batch, manyNs, 1'000));
        };
        add(1, 100'000, 50'000);
        add(2, 110'000, 200'000);
        add(4, 600'000, 210'000);
        const auto found = crossoverOf(pointers(runs), "batch", 4);
        QCOMPARE(found->finding, (Text{TextId::CrossoverMixed, {"4", "batch", "1, 4", "2"}}));
        QCOMPARE(found->from, std::optional<std::int64_t>(4));
        runs.clear();
        add(1, 100'000, 50'000);
        add(2, 110'000, 200'000);
        const auto lost = crossoverOf(pointers(runs), "batch", 4);
        QCOMPARE(lost->finding.id, TextId::CrossoverMixed);
        QVERIFY(!lost->from);
    }

    /// What lies within p10 to p90 of the other is neither faster nor slower, whatever the medians say.
    void noiseIsNoCrossing()
    {
        const auto noisy = [](int ranks, int batch, std::int64_t computeNs, std::int64_t spreadNs) {
            OptionValues options = layer("mlp", "decode", ranks);
            options["batch"] = std::to_string(batch);
            Run run = makeRun(options);
            addIterations(run, 5, [=](const Step &step, int, int iteration) {
                return step.collective ? 1000 : computeNs + (iteration - 2) * spreadNs;
            });
            return run;
        };
        std::vector<Run> runs;
        const auto add = [&](int batch, std::int64_t oneNs, std::int64_t manyNs, std::int64_t spreadNs) {
            runs.push_back(noisy(1, batch, oneNs, spreadNs));
            runs.push_back(noisy(4, batch, manyNs, spreadNs));
        };
        add(1, 100'000, 110'000, 40'000);
        add(4, 120'000, 100'000, 40'000);
        const auto all = crossoverOf(pointers(runs), "batch", 4);
        QCOMPARE(all->finding, (Text{TextId::CrossoverNoise, {"4", "batch", "1", "4"}}));
        QVERIFY(!all->from && !all->cause);
        add(16, 400'000, 100'000, 10'000);
        const auto faster = crossoverOf(pointers(runs), "batch", 4);
        QCOMPARE(faster->finding, (Text{TextId::CrossoverFasterNoise, {"4", "batch", "16", "1, 4"}}));
        QCOMPARE(faster->from, std::optional<std::int64_t>(16));
        add(64, 500'000, 900'000, 10'000);
        const auto mixed = crossoverOf(pointers(runs), "batch", 4);
        QCOMPARE(mixed->finding, (Text{TextId::CrossoverMixedNoise, {"4", "batch", "16", "64", "1, 4"}}));
        QVERIFY(!mixed->from);
        QCOMPARE(mixed->causeAt, 16); // the smallest that is clear
        runs.erase(runs.begin() + 4, runs.begin() + 6);
        QCOMPARE(crossoverOf(pointers(runs), "batch", 4)->finding,
                 (Text{TextId::CrossoverSlowerNoise, {"4", "batch", "64", "1, 4"}}));
    }

    /// What no four ranks can give, and a step that takes longer than one of more work, is not a winner's.
    void disturbedRunsAreSaid()
    {
        std::vector<Run> runs = lowLoad({1, 2}, 1'000);
        const Run fast = decode(4, 1, 1'000, 100); // one rank takes ten times as long
        runs[1] = fast;
        const auto faster = crossoverOf(pointers(runs), "batch", 4);
        QCOMPARE(faster->points.front().pace(), Pace::Disturbed);
        QCOMPARE(faster->finding, (Text{TextId::CrossoverFasterDisturbed, {"4", "batch", "2", "1"}}));
        const std::string words = english(*speedupFinding(runs[0], fast));
        QVERIFY2(words.find("is more than the 4x that 4 ranks can give") != std::string::npos, words.c_str());
        runs.push_back(decode(1, 4, 15'000, 0)); // less than the 100 us of batch 2
        runs.push_back(decode(4, 4, 10'000, 1'000));
        const auto outlier = crossoverOf(pointers(runs), "batch", 4);
        QVERIFY(outlier->points[1].outlier && !outlier->points[2].outlier);
        QCOMPARE(outlier->finding, (Text{TextId::CrossoverFasterDisturbed, {"4", "batch", "4", "1, 2"}}));
        runs.erase(runs.begin() + 2, runs.end());
        runs.push_back(decode(1, 2, 20'000, 0));
        runs.push_back(decode(4, 2, 1'000, 100));
        const auto none = crossoverOf(pointers(runs), "batch", 4);
        QCOMPARE(none->finding, (Text{TextId::CrossoverDisturbed, {"4", "batch", "1", "2"}}));
        QVERIFY(!none->from);
        QCOMPARE(none->cause->id, TextId::SpeedupDisturbed);
        // Longer at batch 1 than at 2, where one rank seems too slow: of an outlier no cause can be told.
        runs = {decode(1, 1, 50'000, 0), decode(4, 1, 2'500, 1'000), decode(1, 2, 20'000, 0), decode(4, 2, 1'000, 100)};
        const auto both = crossoverOf(pointers(runs), "batch", 4);
        QVERIFY(both->points[0].outlier && both->points[1].pace() == Pace::Disturbed);
        QCOMPARE(both->causeAt, 2);
    }

    /// The threads of one rank are all cores there are: four ranks cannot share out more than those two.
    void sharedCoresBoundASpeedup()
    {
        OptionValues options = layer("mlp", "decode", 1);
        options["threads"] = "2";
        Run one = makeRun(options);
        addIterations(one, 3, collectivesTake([](int, int) { return 0; }));
        options["ranks"] = "4";
        options["threads"] = "1";
        Run many = makeRun(options);
        addIterations(many, 3, [](const Step &step, int, int) { return step.collective ? 1'000 : kComputeNs * 2 / 5; });
        QCOMPARE(mostPlausibleSpeedup(one, many), 2.0);
        QCOMPARE(speedupFinding(one, many)->id, TextId::SpeedupDisturbed);
        many.hardware = "this"; // predicted: nothing disturbs it
        QCOMPARE(speedupFinding(one, many)->id, TextId::SpeedupFaster);
        many.hardware.clear();
        one.machine.backend = many.machine.backend = "nccl"; // a device each
        QCOMPARE(mostPlausibleSpeedup(one, many), 4.0);
    }

    /// A winner is one that differs from all others by more than both vary.
    void theFastestMayBeSeveral()
    {
        using Positions = std::vector<std::size_t>;
        const auto step = [](double median, double spread) {
            return Distribution{median, median - spread, median + spread, 5};
        };
        QCOMPARE(fastestOf({step(100, 5), step(90, 4), step(200, 5)}), (Positions{1}));
        QCOMPARE(fastestOf({step(100, 5), step(90, 6), step(200, 5)}), (Positions{0, 1}));
        QCOMPARE(fastestOf({{}, step(90, 6)}), (Positions{1}));
        QCOMPARE(fastestOf({}), Positions{});
        // Predictions have one step, and do not vary.
        QCOMPARE(fastestOf({{100, 100, 100, 1}, {99, 99, 99, 1}}), (Positions{1}));
    }

    void measuredAgainstPredicted()
    {
        const std::vector<Run> runs = lowLoad({1, 2, 4, 8}, 100'000); // faster from 4 on
        std::vector<Run> slow = lowLoad({1, 2, 4, 8}, 1'000'000);
        const auto measured = crossoverOf(pointers(runs), "batch", 4);
        const auto predicted = crossoverOf(pointers(slow), "batch", 4);
        QCOMPARE(disagreements(*measured, *predicted, "batch"),
                 (std::vector{Text{TextId::CrossoverOnlyMeasured, {"4", "batch", "4, 8"}}}));
        QCOMPARE(disagreements(*predicted, *measured, "batch"),
                 (std::vector{Text{TextId::CrossoverOnlyPredicted, {"4", "batch", "4, 8"}}}));
        QVERIFY(disagreements(*measured, *measured, "batch").empty());
    }

    void otherLayersAndSingleSizesDoNotCount()
    {
        std::vector<Run> runs = lowLoad({1, 2}, 1'000);
        OptionValues other = layer("mlp", "decode", 4);
        other["batch"] = "4";
        other["hidden"] = "512";
        runs.push_back(makeRun(other));
        runs.push_back(decode(2, 8, 1'000, 0));  // other ranks
        runs.push_back(decode(1, 16, 1'000, 0)); // nobody beside it
        QCOMPARE(crossoverOf(pointers(runs), "batch", 4)->points.size(), 2U);
        const std::vector<Run> one = lowLoad({1}, 1'000);
        QVERIFY(!crossoverOf(pointers(one), "batch", 4));
        QVERIFY(!crossoverOf({}, "batch", 4));
    }

    void whatFollowsFromASizeMayDiffer()
    {
        const auto experiment = [](const OptionValues &options) { return makeRun(options).experiment(); };
        OptionValues narrow = layer("mlp", "decode", 1);
        OptionValues wide = layer("mlp", "decode", 4);
        wide["hidden"] = "2048";
        QVERIFY(sameLayerBut("hidden", experiment(narrow), experiment(wide)));
        QVERIFY(!sameLayerBut("batch", experiment(narrow), experiment(wide)));
        OptionValues longer = layer("attention", "decode", 4);
        longer["sequence"] = "128"; // and the cache with it
        QVERIFY(sameLayerBut("sequence", experiment(layer("attention", "decode", 1)), experiment(longer)));
        longer["dtype"] = "bf16";
        QVERIFY(!sameLayerBut("sequence", experiment(layer("attention", "decode", 1)), experiment(longer)));
    }

    void outputsSayWhyTheyDependOnN()
    {
        const auto idOf = [](double fromWhole, double fromPieces) {
            return summationFinding(withCheck(output(fromWhole, fromPieces)))->id;
        };
        QCOMPARE(idOf(3e-7, 0), TextId::SummationBitwise);
        QCOMPARE(idOf(3e-7, 1e-7), TextId::SummationNear);
        QCOMPARE(idOf(3e-7, 2.5e-7), TextId::SummationOther);
        const std::string sentence = english(*summationFinding(withCheck(output(3e-7, 1e-7))));
        QVERIFY(sentence.find("4 ranks are off by 4.0e-07, one device by 5.0e-07") != std::string::npos);
        QVERIFY(sentence.find("in 4 pieces") != std::string::npos);
        QVERIFY(!summationFinding(withCheck(output(0, 0))));
        QVERIFY(!summationFinding(withCheck({"Y", 4e-7, 1e-5, true})));
        QVERIFY(!summationFinding(withCheck({"dX", 4e-7, 1e-5, true})));
        QVERIFY(!summationFinding(makeRun(layer("mlp", "training", 2))));
    }

    void theFirstMicroBatchSpeaksForAll()
    {
        CheckEvent check = output(3e-7, 0);
        check.name = "Y#1";
        QCOMPARE(outputCheck(withCheck(check))->name, std::string("Y#1"));
        check.name = "Y.1"; // the output of a layer inside
        QVERIFY(outputCheck(withCheck(check)) == nullptr);
    }

    void int8SaysHowFarItMoves()
    {
        CheckEvent check{"Y", 4e-7, 1e-5, true};
        QVERIFY(!quantizationFinding(withCheck(check)));
        check.quantizationError = 0.008;
        QVERIFY(english(*quantizationFinding(withCheck(check))).find("move Y by 0.8 %") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestCrossover)
#include "tst_crossover.moc"
