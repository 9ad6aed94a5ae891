// SPDX-License-Identifier: MIT
// Weights in int8 at inference as plan data: a byte an element, scales beside them, dequantized before each product;
// what travels stays.
#include "tests/plan/plan_experiments.h"

#include "engine/plan/traffic.h"

#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace {

const std::vector<std::string> kLines{
    "--scheme column --ranks 4 --phase prefill",
    "--scheme row --ranks 4 --phase decode",
    "--scheme mlp --ranks 4 --phase prefill --mlp swiglu",
    "--scheme mlp --ranks 2 --phase prefill --pair row-column",
    "--scheme attention --ranks 4 --phase decode --kv-heads 2",
    "--scheme block --ranks 4 --phase prefill --layers 2",
    "--scheme block --ranks 1 --phase prefill",
    "--scheme block --mesh tp=2,pp=2 --phase prefill --micro-batches 2",
    "--scheme mlp --mesh tp=2,dp=2 --zero 2 --phase decode",
};

Plan planOf(const std::string &line, const std::string &weights, const std::string &dtype = "f32")
{
    OptionValues given = smallModel(line);
    given["weight-dtype"] = weights;
    given["dtype"] = dtype;
    return buildPlan(experimentOf(given));
}

/// What one rank keeps of the matrices, without their scales.
std::int64_t weightBytes(const Plan &plan, int rank)
{
    std::int64_t bytes = 0;
    for (const Tensor &tensor : plan.tensors) {
        if (tensor.generated && tensor.role == TensorRole::Weight && tensor.fill != Fill::ColumnScales)
            bytes += localBytes(tensor, plan.mesh(), rank);
    }
    return bytes;
}

std::string problemOf(const std::string &line)
{
    const auto read = readExperiment(optionsIn(line));
    return read ? "" : english(read.problem());
}

} // namespace

class TestQuantization : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void memoryDivides_data() { lines(); }
    void memoryDivides()
    {
        QFETCH(QString, line);
        for (const auto &[dtype, factor] : std::map<std::string, std::int64_t>{{"f32", 4}, {"bf16", 2}, {"f64", 8}}) {
            const Plan same = planOf(line.toStdString(), "same", dtype);
            const Plan int8 = planOf(line.toStdString(), "int8", dtype);
            for (int rank = 0; rank < same.mesh().size(); ++rank) {
                QVERIFY(weightBytes(same, rank) > 0);
                QCOMPARE(weightBytes(same, rank), factor * weightBytes(int8, rank));
            }
        }
    }

    void collectivesStay_data() { lines(); }
    void collectivesStay()
    {
        QFETCH(QString, line);
        const Plan same = planOf(line.toStdString(), "same", "bf16");
        const Plan int8 = planOf(line.toStdString(), "int8", "bf16");
        QCOMPARE(collectivesOf(int8, Pass::Forward), collectivesOf(same, Pass::Forward));
        QCOMPARE(traffic(int8).total().payloadBytes, traffic(same).total().payloadBytes);
        QCOMPARE(traffic(int8).total().sentBytesPerRank, traffic(same).total().sentBytesPerRank);
    }

    void everyProductIsDequantizedFirst_data() { lines(); }
    void everyProductIsDequantizedFirst()
    {
        QFETCH(QString, line);
        const Plan plan = planOf(line.toStdString(), "int8", "bf16");
        QVERIFY2(!check(plan), "the algebra objects");
        int products = 0;
        for (const Step &step : plan.steps) {
            if (step.kind != StepKind::MatMul)
                continue;
            ++products;
            const Tensor &weight = plan.tensor(step.inputs[1]);
            QCOMPARE(weight.dtype, DType::BF16);
            const Step &maker = plan.steps[static_cast<std::size_t>(weight.madeAt)];
            QCOMPARE(maker.kind, StepKind::Dequantize);
            QCOMPARE(maker.stage, step.stage);
            const Tensor &held = plan.tensor(maker.inputs[0]);
            const Tensor &scales = plan.tensor(maker.inputs[1]);
            QCOMPARE(held.dtype, DType::I8);
            QCOMPARE(scales.dtype, DType::F32);
            QCOMPARE(scales.scalesOf, held.name);
            QCOMPARE(scales.shape, (std::vector<Dim>{held.shape[1]})); // one per output channel
            QCOMPARE(scales.fanIn, held.shape[0].size);                // taken over the whole input
            QCOMPARE(weight.freedAfter, step.id);                      // no second copy of the weights stays
            QVERIFY(!english(maker.reason).empty());
        }
        QVERIFY(products > 0);
    }

    /// A rank with some rows has the scales of all columns; one with some columns has theirs.
    void scalesAreCutAsColumnsAre()
    {
        const Plan plan = planOf("--scheme mlp --ranks 4 --phase prefill", "int8");
        const auto placementOf = [&](const char *name) {
            return along(plan.tensor(plan.versions(name).front()).layout, MeshAxis::Tp);
        };
        QCOMPARE(placementOf("W1"), Placement::shard(1));
        QCOMPARE(placementOf("s:W1"), Placement::shard(0));
        QCOMPARE(placementOf("W2"), Placement::shard(0));
        QCOMPARE(placementOf("s:W2"), Placement::replicated());
        const Plan shared = planOf("--scheme attention --ranks 4 --kv-heads 2 --phase decode", "int8");
        QCOMPARE(along(shared.tensor(shared.versions("s:Wk").front()).layout, MeshAxis::Tp), Placement::shard(0, 2));
    }

    void reasonsNameTheCut()
    {
        const Plan plan = planOf("--scheme mlp --ranks 4 --phase prefill", "int8");
        QCOMPARE(stepNamed(plan, "W1 = int8 · s:W1").reason.id, TextId::ReasonDequantizeColumns);
        QCOMPARE(stepNamed(plan, "W2 = int8 · s:W2").reason.id, TextId::ReasonDequantizeRows);
        const Plan alone = planOf("--scheme mlp --ranks 1 --phase prefill", "int8");
        QCOMPARE(stepNamed(alone, "W1 = int8 · s:W1").reason.id, TextId::ReasonDequantize);
    }

    void refusals()
    {
        QVERIFY(problemOf("--weight-dtype int8").find("training changes weights") != std::string::npos);
        QVERIFY(problemOf("--weight-dtype same --phase training").find("--phase prefill or decode") !=
                std::string::npos);
        QVERIFY(problemOf("--weight-dtype fp8 --phase decode").find("not in this version") != std::string::npos);
        QVERIFY(problemOf("--weight-dtype int4 --phase decode").find("no such value") != std::string::npos);
        QVERIFY(problemOf("--weight-dtype int8 --phase decode --scheme logits")
                    .find("--scheme column, row, mlp, attention or block") != std::string::npos);
        QVERIFY(problemOf("--weight-dtype int8 --phase decode --mesh tp=2,dp=2 --zero 3").find("--zero 2") !=
                std::string::npos);
        QCOMPARE(problemOf("--weight-dtype int8 --phase decode --mesh tp=2,dp=2 --zero 2"), std::string());
    }

    /// Where three phases are compared training keeps its dtype.
    void trainingOfAComparisonKeepsItsDtype()
    {
        OptionValues given = optionsIn("--weight-dtype int8 --phase training");
        const auto read = readExperiment(given, Unused::Allow);
        QVERIFY(read.ok());
        QCOMPARE(read->weightDtype, WeightDType::Same);
        Experiment filledIn = *read; // as the window's panel keeps it while another phase is shown
        filledIn.weightDtype = WeightDType::Int8;
        const Plan plan = buildPlan(filledIn);
        QVERIFY(std::ranges::none_of(plan.tensors, [](const Tensor &t) { return t.dtype == DType::I8; }));
    }

private:
    static void lines()
    {
        QTest::addColumn<QString>("line");
        for (const std::string &line : kLines)
            QTest::newRow(line.c_str()) << QString::fromStdString(line);
    }
};

QTEST_APPLESS_MAIN(TestQuantization)
#include "tst_quantization.moc"
