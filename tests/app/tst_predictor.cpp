// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/points.h"
#include "app/predictor.h"
#include "engine/plan/experiment_options.h"

#include <QTest>

using namespace shardscope;

namespace {

std::vector<BandwidthEvent> someCollectives()
{
    std::vector<BandwidthEvent> points;
    for (const std::int64_t bytes : {4096, 65536, 1048576, 16777216}) {
        for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather})
            points.push_back({op, 2, bytes, op == CollectiveOp::AllReduce ? bytes : bytes / 2, 100000 + bytes});
    }
    return points;
}

ComputeEvent computeOf(DType dtype, double flopsPerSecond)
{
    return {dtype, 2, flopsPerSecond, 1e10, 5000};
}

const Machine kHere{"gloo", "2 cores, one of ours", {}, {}, {}, {}, {}};

} // namespace

class TestPredictor : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void anotherDtypesMeasurementKeepsTheFirst()
    {
        Predictor before;
        QVERIFY(!before.addMeasurement(someCollectives(), {computeOf(DType::F32, 5e10)}, kHere));
        Predictor predictor;
        QVERIFY(predictor.restoreThisMachine(toJson(*before.thisMachine()), 2));
        QVERIFY(predictor.knowsThisMachine(DType::F32));
        QVERIFY(!predictor.knowsThisMachine(DType::BF16));
        QVERIFY(!predictor.addMeasurement(someCollectives(), {computeOf(DType::BF16, 1e10)}, kHere));
        QVERIFY(predictor.knowsThisMachine(DType::BF16));
        QVERIFY(predictor.knowsThisMachine(DType::F32));
        QCOMPARE(predictor.thisMachine()->peakFlops.at(DType::F32), before.thisMachine()->peakFlops.at(DType::F32));
    }

    void oneDtypesSpeedIsNotAnothers()
    {
        Predictor predictor;
        QVERIFY(!predictor.addMeasurement(someCollectives(), {computeOf(DType::BF16, 1e10)}, kHere));
        QVERIFY(predictor.knowsThisMachine(DType::BF16));
        QVERIFY(!predictor.knowsThisMachine(DType::F32));
        QCOMPARE(predictor.hardwareFor(DType::F32).name, std::string(kFallbackHardware));
        QVERIFY(!predictor.addMeasurement({}, {computeOf(DType::F32, 5e10)}, kHere));
        QVERIFY(predictor.knowsThisMachine(DType::F32));
        QVERIFY(predictor.knowsThisMachine(DType::BF16));
    }

    void anotherMachinesNumbersAreForgotten()
    {
        Predictor before;
        QVERIFY(!before.addMeasurement(someCollectives(), {computeOf(DType::F32, 5e10)}, kHere));
        const std::string kept = toJson(*before.thisMachine());
        Predictor predictor;
        QVERIFY2(!predictor.restoreThisMachine(kept, 16), "another number of cores");
        QVERIFY(!predictor.thisMachine());
        QVERIFY(predictor.restoreThisMachine(kept, 2));
        Machine machine;
        machine.host = "2 cores, one of ours";
        QVERIFY(!predictor.forgetUnless(machine));
        machine.host = "2 cores, another CPU";
        QVERIFY(predictor.forgetUnless(machine));
        QVERIFY(!predictor.thisMachine());
        // The same kind of machine elsewhere is another one.
        QVERIFY(predictor.restoreThisMachine(kept, 2));
        machine = {};
        machine.host = "2 cores, one of ours";
        machine.remote = "gpu1";
        QVERIFY(predictor.forgetUnless(machine));
        QVERIFY(!predictor.restoreThisMachine("no JSON", 2));
    }

    /// Replicas have tokens of their own: beside them one rank does those of all.
    void oneRankDoesTheSameWork()
    {
        struct Case {
            OptionValues options;
            std::int64_t batch; ///< of the one rank
        };
        for (const auto &[options, batch] :
             {Case{{{"scheme", "mlp"}, {"ranks", "4"}}, 4}, Case{{{"scheme", "data-parallel"}, {"ranks", "4"}}, 16},
              Case{{{"scheme", "zero3"}, {"ranks", "2"}}, 8}, Case{{{"scheme", "mlp"}, {"mesh", "tp=2,dp=2"}}, 8},
              Case{{{"scheme", "block"}, {"mesh", "tp=1,dp=2,pp=2"}, {"layers", "2"}, {"micro-batches", "2"}}, 8}}) {
            const auto experiment = readExperiment(options);
            QVERIFY(experiment);
            for (const Phase phase : kPhases) {
                const auto many = inPhase(*experiment, phase);
                QVERIFY(many);
                const auto one = onOneRank(*many);
                QVERIFY(one);
                QCOMPARE(one->ranks(), 1);
                QCOMPARE(one->batch, batch);
                QCOMPARE(one->globalTokens(), many->globalTokens());
                QCOMPARE(one->layers, many->layers);
            }
        }
        // Padding is no work: one rank is not slower by it.
        const auto padded =
            readExperiment({{"scheme", "pipeline"}, {"ranks", "2"}, {"micro-batches", "4"}, {"stage-delay", "10:20"}});
        QVERIFY(padded && !onOneRank(*padded));
    }

    void theStepHereIsThatOfThisMachineWhateverIsShown()
    {
        Predictor predictor;
        QVERIFY(!predictor.addMeasurement(someCollectives(), {computeOf(DType::F32, 5e10)}, kHere));
        const Forecast here = predictor.forecast(Experiment{}, 2);
        QVERIFY(predictor.choose("a100-8"));
        const Forecast shown = predictor.forecast(Experiment{}, 2);
        QVERIFY(shown.results.predicted.at(Phase::Training)->hardware == "a100-8");
        QCOMPARE(shown.stepSeconds.at(Phase::Training), here.stepSeconds.at(Phase::Training));
        QCOMPARE(shown.oneRankStepSeconds, here.oneRankStepSeconds);
    }
};

QTEST_GUILESS_MAIN(TestPredictor)
#include "tst_predictor.moc"
