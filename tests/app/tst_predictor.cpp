// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/predictor.h"

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

const Machine kHere{"gloo", "2 cores, one of ours", {}, {}, {}};

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
        QVERIFY(!predictor.forgetUnless("2 cores, one of ours"));
        QVERIFY(predictor.forgetUnless("2 cores, another CPU"));
        QVERIFY(!predictor.thisMachine());
        QVERIFY(!predictor.restoreThisMachine("no JSON", 2));
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
