// SPDX-License-Identifier: MIT
// Results depend on the number of ranks because sums are made in another order: what the check says of that.
#include "tests/plan/plan_experiments.h"
#include "tests/runtime/rank_harness.h"
#include "tests/runtime/tensor_checks.h"

#include "engine/runtime/executor.h"
#include "engine/runtime/reference_check.h"
#include "engine/runtime/weights.h"

#include <QtTest>

#include <cmath>

using namespace shardscope;

namespace {

CheckEvent outputOf(const Experiment &experiment, Communicators &groups, const ValueSource &source)
{
    const Plan plan = buildPlan(experiment);
    NamedTensors values;
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated && holds(tensor, plan.mesh(), groups.rank()))
            values[tensor.name] = generate(tensor, localRegion(tensor, plan.mesh(), groups.rank()), source);
    Executor executor(plan, groups);
    executor.setInputs(values);
    Trace trace;
    executor.run(trace);
    return checkResults(plan, executor, source, groups.world()).front();
}

CheckEvent outputOf(const std::string &line, Communicators &groups, Values values = Values::Random)
{
    Experiment experiment = experimentOf(smallModel(line + " --hidden 256"));
    return outputOf(experiment, groups, ValueSource(experiment.seed, values));
}

} // namespace

class TestSummation : public QObject
{
    Q_OBJECT

private slots:
    void theOrderExplainsTheDifference_data();
    void theOrderExplainsTheDifference();
    void exactSumsHaveNoOrder();
    void nothingIsSaidWhereNoSumIsShared_data();
    void nothingIsSaidWhereNoSumIsShared();
};

void TestSummation::theOrderExplainsTheDifference_data()
{
    QTest::addColumn<QString>("line");
    for (const char *scheme : {"row", "mlp", "attention", "block", "block --layers 2"}) {
        for (const char *more : {"--dtype f32 --algorithm direct", "--dtype bf16 --algorithm direct", "--dtype bf16",
                                 "--dtype bf16 --phase prefill"}) {
            const QString line = QString("--scheme %1 --ranks 4 %2").arg(scheme, more);
            QTest::newRow(qPrintable(line)) << line;
        }
    }
    QTest::newRow("cut tokens") << "--scheme block --ranks 4 --sequence-parallel megatron --dtype bf16";
    QTest::newRow("int8") << "--scheme mlp --ranks 4 --phase prefill --weight-dtype int8 --dtype bf16";
    QTest::newRow("pair") << "--scheme mlp --ranks 4 --pair row-row --dtype bf16";
}

/// Adding in the ranks' pieces leaves less than half of the difference between ranks and one device; in bf16, whose
/// roundings hide those of the products' insides, it leaves hardly any.
void TestSummation::theOrderExplainsTheDifference()
{
    QFETCH(QString, line);
    verify(inRanks(4, [&](Communicators &groups, const Expect &expect) {
        const CheckEvent check = outputOf(line.toStdString(), groups);
        expect(check.fromWhole > 0, "4 ranks and one device agree");
        expect(check.fromPieces < 0.5 * check.fromWhole,
               "one device in pieces is " + std::to_string(check.fromPieces / check.fromWhole) + " of it away");
        expect(std::abs(check.piecesError / check.relativeError - 1) < 0.2, "the pieces have another error");
        expect(check.wholeError > 0 && check.wholeError < 3 * check.relativeError, "one device has another error");
    }));
}

void TestSummation::exactSumsHaveNoOrder()
{
    verify(inRanks(4, [](Communicators &groups, const Expect &expect) {
        const CheckEvent check = outputOf("--scheme row --ranks 4", groups, Values::Integers);
        expect(check.relativeError == 0 && check.wholeError == 0 && check.piecesError == 0, "sums of integers");
        expect(check.fromWhole == 0 && check.fromPieces == 0, "integers add up to the same in any order");
    }));
}

void TestSummation::nothingIsSaidWhereNoSumIsShared_data()
{
    QTest::addColumn<QString>("line");
    for (const char *line :
         {"--scheme column --ranks 2", "--scheme logits --ranks 2", "--scheme data-parallel --ranks 2",
          "--scheme mlp --ranks 2 --dtype f64", "--scheme mlp --ranks 2 --micro-batches 2",
          "--scheme pipeline --ranks 2", "--scheme bug:average-instead-of-sum --ranks 2"})
        QTest::newRow(line) << line;
}

void TestSummation::nothingIsSaidWhereNoSumIsShared()
{
    QFETCH(QString, line);
    verify(inRanks(2, [&](Communicators &groups, const Expect &expect) {
        const CheckEvent check = outputOf(line.toStdString(), groups);
        expect(check.wholeError == kUnknownError && check.piecesError == kUnknownError &&
                   check.fromWhole == kUnknownError && check.fromPieces == kUnknownError,
               "something is said");
    }));
}

QTEST_GUILESS_MAIN(TestSummation)
#include "tst_summation.moc"
