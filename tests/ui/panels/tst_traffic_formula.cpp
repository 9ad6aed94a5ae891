// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/traffic_formula.h"

#include "engine/plan/experiment_options.h"

#include <QTest>

using namespace shardscope;

namespace {

QString plain(QString text)
{
    return text.replace(QChar(0x00a0), QLatin1Char(' '));
}

Experiment mlp(int ranks)
{
    Experiment experiment;
    experiment.mesh.extents = {ranks, 1, 1};
    return experiment;
}

} // namespace

class TestTrafficFormula : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void mlpOnFourRanks()
    {
        const TrafficFormula formula = trafficFormula(buildPlan(mlp(4)));
        QCOMPARE(formula.caption, QStringLiteral("Sent by each rank, per all-reduce of Y"));
        QCOMPARE(formula.formula, QStringLiteral("2 (N−1)/N · b·s·h · 4 B"));
        QCOMPARE(formula.numbers, QStringLiteral("2 · 3/4 · 256 · 1024 · 4 B"));
        QCOMPARE(plain(formula.result), QStringLiteral("1.5 MiB"));
        QVERIFY(formula.perStep.contains(QStringLiteral("forward 1, backward 1")));
    }

    void decodeSendsOneTokenPerSequence()
    {
        Experiment experiment = mlp(2);
        experiment.phase = Phase::Decode;
        const TrafficFormula formula = trafficFormula(buildPlan(experiment));
        QCOMPARE(formula.formula, QStringLiteral("2 (N−1)/N · b·h · 4 B"));
        QCOMPARE(plain(formula.result), QStringLiteral("16 KiB"));
    }

    void theAlgorithmsHaveTheirOwnFactors_data()
    {
        QTest::addColumn<int>("algorithm");
        QTest::addColumn<QString>("result");
        // The sent bytes of `run --scheme mlp --ranks 4 --algorithm A`: 1572864, 1572864, 2097152, 3145728.
        QTest::newRow("ring") << int(Algorithm::Ring) << QStringLiteral("1.5 MiB");
        QTest::newRow("halving-doubling") << int(Algorithm::HalvingDoubling) << QStringLiteral("1.5 MiB");
        QTest::newRow("tree") << int(Algorithm::Tree) << QStringLiteral("2 MiB");
        QTest::newRow("direct") << int(Algorithm::Direct) << QStringLiteral("3 MiB");
    }
    void theAlgorithmsHaveTheirOwnFactors()
    {
        QFETCH(int, algorithm);
        QFETCH(QString, result);
        Experiment experiment = mlp(4);
        experiment.algorithm = static_cast<Algorithm>(algorithm);
        const TrafficFormula formula = trafficFormula(buildPlan(experiment));
        QCOMPARE(plain(formula.result), result);
        QVERIFY2(!formula.formula.isEmpty(), "the formula gives exactly the plan's bytes, so it is shown");
        const bool alike = experiment.algorithm != Algorithm::Tree;
        QCOMPARE(formula.caption.startsWith(QStringLiteral("Sent by each rank")), alike);
        QCOMPARE(formula.caption.startsWith(QStringLiteral("Sent by the busiest rank")), !alike);
        QCOMPARE(formula.perStep.endsWith(QStringLiteral("sent by the busiest rank")), !alike);
    }

    void ofTwoRanksATreeSendsAlike()
    {
        Experiment experiment = mlp(2);
        experiment.algorithm = Algorithm::Tree;
        QVERIFY(trafficFormula(buildPlan(experiment)).caption.startsWith(QStringLiteral("Sent by each rank")));
    }

    void oneRankSendsNothingAndItIsSaidWhy()
    {
        const TrafficFormula formula = trafficFormula(buildPlan(mlp(1)));
        QVERIFY(formula.formula.isEmpty());
        QCOMPARE(plain(formula.result), QStringLiteral("0 B"));
        QVERIFY(!formula.perStep.isEmpty());
    }

    void aColumnLayersFirstCollectiveIsInBackward()
    {
        Experiment experiment = mlp(4);
        experiment.scheme = Scheme::Column;
        QVERIFY(trafficFormula(buildPlan(experiment)).caption.contains(QStringLiteral("dX")));
        experiment.phase = Phase::Prefill;
        QVERIFY(trafficFormula(buildPlan(experiment)).formula.isEmpty());
        experiment.gatherOutput = true;
        const TrafficFormula gathered = trafficFormula(buildPlan(experiment));
        QCOMPARE(gathered.formula, QStringLiteral("(N−1)/N · b·s·f · 4 B"));
    }

    void whereNDoesNotDivideNoFalseFormulaIsShown()
    {
        Experiment experiment = mlp(3);
        experiment.batch = 1;
        experiment.sequence = 1;
        experiment.hidden = 1000;
        experiment.ffn = 3000;
        const Plan plan = buildPlan(experiment);
        QVERIFY(trafficFormula(plan).formula.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestTrafficFormula)
#include "tst_traffic_formula.moc"
