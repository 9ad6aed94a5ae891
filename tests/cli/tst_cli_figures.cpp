// SPDX-License-Identifier: MIT
// What a run says beyond counts and times: int8 weights, results that depend on N, what could be hidden, and from which
// size on more ranks are faster.
#include "tests/cli/engine_program.h"

#include <QRegularExpression>

namespace {

const QString kFew = " --hidden 256 --steps 2 --warmup 0";

QJsonObject output(const QJsonObject &run)
{
    return run["checks"].toArray().first().toObject();
}

} // namespace

class TestCliFigures : public QObject
{
    Q_OBJECT

private slots:
    void int8DividesMemoryAndLeavesBytes();
    void int8IsRefusedWhereItCannotBe();
    void threePhasesKeepInt8WhereItApplies();
    void outputsOfSeveralRanksStandBesideEachOther();
    void collectivesSayWhetherTheyCouldBeHidden();
    void predictionsSayItToo();
    void sweepsEndWithTheCrossing();
    void ratesAreSharesOfThePeaks();
    void ratesOfRanksHaveNoPeakUntilThereIsOne();
};

void TestCliFigures::int8DividesMemoryAndLeavesBytes()
{
    const QString line = "run --scheme block --phase prefill --ranks 2 --batch 1 --sequence 8 --format json" + kFew;
    const ProgramResult same = engine(line);
    const ProgramResult int8 = engine(line + " --weight-dtype int8");
    QCOMPARE(same.status, 0);
    QCOMPARE(int8.status, 0);
    QCOMPARE(same.json()["experiment"]["weight_dtype"].toString(), QString("same"));
    QCOMPARE(int8.json()["experiment"]["weight_dtype"].toString(), QString("int8"));
    QCOMPARE(int8.json()["totals"]["step"]["sent_bytes_per_rank"],
             same.json()["totals"]["step"]["sent_bytes_per_rank"]);
    const auto memory = [](const ProgramResult &result) {
        return result.json()["memory_bytes_per_rank"]["measured"].toDouble();
    };
    QVERIFY2(memory(int8) < 0.6 * memory(same), "a quarter of the weights, and one of them in f32");
    QVERIFY(output(int8.json())["passed"].toBool());
    const double moved = output(int8.json())["quantization_error"].toDouble();
    QVERIFY(moved > 1e-3 && moved < 3e-2);
    QVERIFY(!output(same.json()).contains("quantization_error"));
}

void TestCliFigures::int8IsRefusedWhereItCannotBe()
{
    for (const char *line : {"run --weight-dtype int8", "run --weight-dtype int8 --phase decode --scheme logits",
                             "run --weight-dtype fp8 --phase decode"}) {
        const ProgramResult result = engine(line);
        QCOMPARE(result.status, 2);
        QVERIFY(isOneLine(result));
        QVERIFY(result.err.contains("--weight-dtype"));
    }
}

void TestCliFigures::threePhasesKeepInt8WhereItApplies()
{
    const ProgramResult result = engine("compare --weight-dtype int8 --format json" + kFew);
    QCOMPARE(result.status, 0);
    const QJsonObject phases = result.json()["phases"].toObject();
    QCOMPARE(phases["training"]["experiment"]["weight_dtype"].toString(), QString("same"));
    QCOMPARE(phases["decode"]["experiment"]["weight_dtype"].toString(), QString("int8"));
}

void TestCliFigures::outputsOfSeveralRanksStandBesideEachOther()
{
    const ProgramResult table = engine("sweep --scheme row --ranks 1,2,4 --dtype bf16" + kFew);
    QCOMPARE(table.status, 0);
    QVERIFY(table.out.contains("Outputs change with N"));
    const ProgramResult four =
        engine("run --scheme row --ranks 4 --dtype bf16 --algorithm direct --format json" + kFew);
    const QJsonObject check = output(four.json());
    QVERIFY(check["difference_from_one_device"].toDouble() > 0);
    QVERIFY(check["difference_from_one_device_in_pieces"].toDouble() <
            0.5 * check["difference_from_one_device"].toDouble());
    QVERIFY(check["one_device_relative_error"].toDouble() > 0);
    const ProgramResult one = engine("sweep --scheme row --ranks 2 --batch 1,2" + kFew);
    QVERIFY(!one.out.contains("Outputs change with N")); // of one N there is nothing to compare
    const ProgramResult report = engine("run --scheme row --ranks 4 --dtype bf16" + kFew);
    QVERIFY(report.out.contains("adds its products in 4 pieces"));
}

void TestCliFigures::collectivesSayWhetherTheyCouldBeHidden()
{
    const QString line = "run --scheme mlp --ranks 2" + kFew;
    const QByteArray report = engine(line).out.simplified();
    for (const char *said : {"Could it be hidden under compute?", "with all ranks released together", "inconclusive: "})
        QVERIFY2(report.contains(said), said);
    const QJsonObject run = engine(line + " --format json").json();
    const QJsonObject forward = collectivesOf(run, "forward").first()["could_be_hidden"].toObject();
    QVERIFY(!forward["possible"].toBool(true));
    const QJsonObject backward = collectivesOf(run, "backward").first()["could_be_hidden"].toObject();
    QCOMPARE(backward["beside"].toArray().size(), 2); // dW1 and db1
    QVERIFY(backward["required_GBps"].toDouble() > 0 && backward["available_GBps"].toDouble() > 0);
}

void TestCliFigures::predictionsSayItToo()
{
    const ProgramResult result = engine("predict --hardware h100-8 --ranks 8 --hidden 8192 --dtype bf16");
    QCOMPARE(result.status, 0);
    QVERIFY(result.out.contains("Could it be hidden under compute?"));
    QVERIFY(result.out.contains("no: Y + b2 needs it"));
    QVERIFY(engine("predict --hardware h100-8 --scheme row --bias off --ranks 4")
                .out.contains("no: the next layer or the loss needs it"));
    const QByteArray zero3 = engine("predict --hardware h100-8 --scheme zero3 --layers 4 --ranks 4").out;
    QCOMPARE(zero3.count("yes, 3 of 4"), 3); // gathers of both passes, gradients
    QVERIFY(zero3.contains("of several collectives beside the same compute"));
}

void TestCliFigures::sweepsEndWithTheCrossing()
{
    const ProgramResult result = engine("sweep --phase decode --ranks 1,4 --batch 1,2,4" + kFew);
    QCOMPARE(result.status, 0);
    // One sentence, not one a batch; what it says is this machine's.
    const QRegularExpression sentence("4 ranks (are (not )?faster than one|and one differ less than they vary|"
                                      "and one cannot be compared) at|4 ranks are faster than one from batch");
    QCOMPARE(QString::fromUtf8(result.out).count(sentence), 1);
    const ProgramResult predicted = engine("sweep --hardware h100-8 --phase decode --ranks 1,8 --batch 1,8,64 "
                                           "--hidden 8192 --dtype bf16");
    QCOMPARE(predicted.status, 0);
    QVERIFY(predicted.out.contains("8 ranks are faster than one"));
    // GPUs share no cores: so small a layer does not shrink because starting its operations does not.
    const QByteArray small = engine("sweep --hardware h100-8 --phase decode --scheme attention --ranks 1,8 --batch 1,4 "
                                    "--hidden 256 --heads 8 --kv-heads 2")
                                 .out;
    QVERIFY2(small.contains("the rank's 11 starts are not divided by 8"), small.constData());
    QVERIFY2(!small.contains("share cores"), small.constData());
}

void TestCliFigures::ratesAreSharesOfThePeaks()
{
    const QString line = "predict --hardware h100-8 --scheme mlp --ranks 8 --hidden 8192 --batch 16 --sequence 2048 "
                         "--dtype bf16";
    const QJsonArray rates = engine(line + " --format json").json()["rates"].toArray();
    const auto find = [&](const char *kind) {
        const auto found = std::find_if(rates.begin(), rates.end(), [&](const QJsonValue &row) {
            return row["kind"].toString() == QLatin1String(kind) && row["pass"].toString() == "forward";
        });
        return found == rates.end() ? QJsonObject() : (*found).toObject();
    };
    const QJsonObject products = find("matrix_products");
    QCOMPARE(products["peak_per_s"].toDouble(), 990e12);
    QCOMPARE(products["peak_origin"].toString(), QString("data_sheet"));
    QVERIFY(qAbs(products["share"].toDouble() - 0.65) < 0.01);
    QCOMPARE(products["unit"].toString(), QString("FLOP/s"));
    QCOMPARE(products["operations"][0]["m_k_n"][2].toInt(), 4096);
    QCOMPARE(products["operations"][0]["flop_each"].toDouble(), 2.0 * 32768 * 8192 * 4096);
    const QJsonObject sum = find("collective");
    QCOMPARE(sum["op"].toString(), QString("all_reduce"));
    QCOMPARE(sum["bus_factor"].toDouble(), 1.75);
    QCOMPARE(sum["peak_per_s"].toDouble(), 450e9);
    QCOMPARE(sum["peak_origin"].toString(), QString("link_specification"));
    QVERIFY(sum["share"].toDouble() > 0.79 && sum["share"].toDouble() < 367.0 / 450);
    QVERIFY(find("memory_bound")["share"].toDouble() <= 1);
    const QByteArray table = engine(line).out;
    QVERIFY(table.contains("How near to the peaks") && table.contains("990 TFLOP/s in bf16 of H100 SXM 80 GB"));
}

void TestCliFigures::ratesOfRanksHaveNoPeakUntilThereIsOne()
{
    const QJsonArray rates =
        engine("run --scheme mlp --ranks 2 --backend cpu --format json" + kFew).json()["rates"].toArray();
    QVERIFY(rates.size() >= 5);
    for (const QJsonValue &row : rates) {
        QVERIFY(row["achieved_per_s"].toDouble() > 0);
        QVERIFY(row["peak_per_s"].isNull() && row["share"].isNull());
    }
    // Measured here for a prediction, it is what the prediction is held against.
    const QJsonObject predicted = engine("predict --hardware this --scheme mlp --ranks 2 --format json" + kFew).json();
    const QJsonValue first = predicted["rates"][0];
    QCOMPARE(first["peak_origin"].toString(), QString("measured"));
    QVERIFY(first["share"].toDouble() > 0 && first["share"].toDouble() <= 1);
    QVERIFY(!engine("run --scheme mlp --ranks 2 --backend cpu" + kFew).out.contains("How near to the peaks"));
}

QTEST_GUILESS_MAIN(TestCliFigures)
#include "tst_cli_figures.moc"
