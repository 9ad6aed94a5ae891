// SPDX-License-Identifier: MIT
// Every scheme on real ranks, with the counts, bytes and errors that the literature and the algebra name.
#include "tests/cli/engine_program.h"

#include <cmath>

namespace {

/// Counts, bytes and checks do not depend on how often a step runs.
const QString kFew = " --steps 2 --warmup 0 --format json";
/// Small enough for seconds; four heads.
const QString kSmall = " --hidden 256 --batch 2 --sequence 16" + kFew;

bool allPassed(const QJsonObject &run)
{
    const QJsonArray checks = run["checks"].toArray();
    return !checks.isEmpty() &&
           std::all_of(checks.begin(), checks.end(), [](const QJsonValue &check) { return check["passed"].toBool(); });
}

/// "all_gather 2, reduce_scatter 2": what ran in one pass, and that it was what was planned.
QString countsOf(const QJsonObject &run, const QString &pass)
{
    QMap<QString, int> counts;
    for (const QJsonObject &collective : collectivesOf(run, pass)) {
        counts[collective["op"].toString()] += collective["count"].toInt();
        if (collective["count"] != collective["planned_count"])
            return "not as planned";
    }
    QStringList words;
    for (auto it = counts.cbegin(); it != counts.cend(); ++it)
        words.append(it.key() + ' ' + QString::number(it.value()));
    return words.join(", ");
}

QJsonObject checkNamed(const QJsonObject &run, const QString &name)
{
    for (const QJsonValue &check : run["checks"].toArray()) {
        if (check["name"].toString() == name)
            return check.toObject();
    }
    return {};
}

bool near(double value, double expected, double share)
{
    return std::abs(value / expected - 1) <= share;
}

qint64 sentIn(const QJsonObject &run, const QString &pass)
{
    return run["totals"][pass]["sent_bytes_per_rank"].toInteger();
}

} // namespace

class TestCliSchemes : public QObject
{
    Q_OBJECT

private slots:
    void collectivesOfABlock_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("forward");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<QString>("backward");
        QTest::addColumn<QString>("optimizer");
        const QString two = "all_reduce 2";
        const QString gathered = "all_gather 2, reduce_scatter 2";
        QTest::newRow("plain") << "" << two << "" << two << "";
        QTest::newRow("selective") << " --recompute selective" << two << "" << two << "";
        QTest::newRow("full") << " --recompute full" << two << two << two << "";
        QTest::newRow("megatron") << " --sequence-parallel megatron" << gathered << ""
                                  << "all_gather 4, reduce_scatter 2"
                                  << "all_reduce 1";
        QTest::newRow("keep") << " --sequence-parallel keep" << gathered << "" << gathered << "all_reduce 1";
        QTest::newRow("side by side") << " --parallel-block on"
                                      << "all_reduce 1"
                                      << ""
                                      << "all_reduce 1"
                                      << "";
        QTest::newRow("side by side, megatron") << " --parallel-block on --sequence-parallel megatron"
                                                << "all_gather 1, reduce_scatter 1"
                                                << ""
                                                << "all_gather 2, reduce_scatter 1"
                                                << "all_reduce 1";
    }

    void collectivesOfABlock()
    {
        QFETCH(QString, options);
        const ProgramResult result = engine("run --scheme block --ranks 4" + options + kSmall);
        QVERIFY2(result.status == 0, result.err.constData());
        const QJsonObject run = result.json();
        for (const char *pass : {"forward", "recompute", "backward", "optimizer"})
            QTEST(countsOf(run, pass), pass);
        QVERIFY(allPassed(run));
        const int vectors = options.contains("block on") ? 4 : 6; // of h numbers: norms, and row layers' biases
        for (const QJsonObject &collective : collectivesOf(run, "optimizer"))
            QCOMPARE(collective["payload_bytes"].toInteger(), vectors * 256 * 4);
    }

    /// Bytes of a training step over those of a forward of the same tokens.
    void ratiosOfABlock_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<double>("ratio");
        QTest::newRow("plain") << "" << 2.0;
        QTest::newRow("selective") << " --recompute selective" << 2.0;
        QTest::newRow("full") << " --recompute full" << 3.0;
        QTest::newRow("megatron") << " --sequence-parallel megatron" << 2.5;
        QTest::newRow("keep") << " --sequence-parallel keep" << 2.0;
        QTest::newRow("megatron, full") << " --sequence-parallel megatron --recompute full" << 3.5;
    }

    void ratiosOfABlock()
    {
        QFETCH(QString, options);
        QFETCH(double, ratio);
        const QJsonObject result = engine("compare --scheme block --ranks 4" + options + kSmall).json();
        QCOMPARE(result["ratios"]["training_to_prefill"]["sent_bytes"].toDouble(), ratio);
        for (const char *phase : {"training", "prefill", "decode"})
            QVERIFY(allPassed(result["phases"][phase].toObject()));
        // The table says them all, whichever was run.
        const QByteArray table = engine("compare --hardware a100-8 --scheme block --ranks 4" + options).out;
        const bool megatron = options.contains("megatron");
        const QList<const char *> said = megatron ? QList{"2.5 x", "3.5 x"} : QList{"2.0 x", "3.0 x"};
        for (const char *words : said)
            QVERIFY2(table.mid(table.indexOf("by the plan")).contains(words), table.constData());
    }

    void sharedKeyValueHeads()
    {
        const QString heads = " --ranks 4 --heads 8 --kv-heads 2";
        const QJsonObject run = engine("run --scheme attention" + heads + kSmall).json();
        QVERIFY(allPassed(run));
        const QList<QJsonObject> backward = collectivesOf(run, "backward");
        QCOMPARE(backward.size(), 2);
        QCOMPARE(backward[0]["tensor"].toString(), QString("dX"));
        // One message of both weights and both biases, between the two ranks of a head: [256, 32] and [32], twice.
        QCOMPARE(backward[1]["tensor"].toString(), QString("dWk … dbv"));
        QCOMPARE(backward[1]["payload_bytes"].toInteger(), 2 * (256 + 1) * 32 * 4);
        const ProgramResult wrong = engine("run --scheme bug:unreduced-kv" + heads + kSmall);
        QCOMPARE(wrong.status, 3);
        for (const char *gradient : {"dWk", "dWv"}) {
            const QJsonObject check = checkNamed(wrong.json(), gradient);
            QVERIFY2(near(check["relative_error"].toDouble(), std::sqrt(0.5), 0.1), gradient);
        }
    }

    void crossEntropyNeedsNoLogits()
    {
        const QString logits = "run --scheme logits --ranks 4 --batch 1 --sequence 128 --vocabulary 32000 --hidden 64";
        const QJsonObject run = engine(logits + kFew).json();
        QVERIFY(allPassed(run));
        QCOMPARE(countsOf(run, "forward"), QString("all_reduce 3"));
        for (const QJsonObject &collective : collectivesOf(run, "forward"))
            QCOMPARE(collective["payload_bytes"].toInteger(), 128 * 4);
        QCOMPARE(countsOf(run, "backward"), QString("all_reduce 1"));
        QCOMPARE(collectivesOf(run, "backward")[0]["tensor"].toString(), QString("dX"));
        const QJsonObject naive = engine(logits + " --gather-output on" + kFew).json();
        QVERIFY(allPassed(naive));
        QCOMPARE(collectivesOf(naive, "forward")[0]["op"].toString(), QString("all_gather"));
        QCOMPARE(collectivesOf(naive, "forward")[0]["payload_bytes"].toInteger(), 128 * 32000 * 4);
    }

    /// In units of rho·P·e: data-parallel and zero1 2, zero2 m + 1, zero3 3m.
    void bytesOfReplicas_data()
    {
        QTest::addColumn<int>("microBatches");
        QTest::newRow("once") << 1;
        QTest::newRow("accumulated") << 3;
    }

    void bytesOfReplicas()
    {
        QFETCH(int, microBatches);
        const QJsonObject schemes =
            engine("compare --schemes data-parallel,zero1,zero2,zero3 --ranks 4 --hidden 256 --batch 12 --sequence 16" +
                   kFew + " --micro-batches " + QString::number(microBatches))
                .json()["schemes"]
                .toObject();
        const QJsonObject plain = schemes["data-parallel"].toObject();
        const qint64 unit = sentIn(plain, "backward") / 2;
        QCOMPARE(sentIn(plain, "step"), 2 * unit);
        QVERIFY(unit > 0 && allPassed(plain));
        const QList<QPair<QString, int>> expected{
            {"zero1", 2}, {"zero2", microBatches + 1}, {"zero3", 3 * microBatches}};
        for (const auto &[scheme, units] : expected) {
            const QJsonObject run = schemes[scheme].toObject();
            QVERIFY2(allPassed(run), qPrintable(scheme));
            QCOMPARE(sentIn(run, "step"), units * unit);
            QCOMPARE(sentIn(run, "optimizer"), scheme == "zero3" ? 0 : unit); // the parameters, gathered
        }
    }

    /// Relative errors of four ranks, derived from what each bug adds, leaves out or divides.
    void bugsAreOffByWhatTheyDo_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("result");
        QTest::addColumn<double>("error");
        const double others = std::sqrt(3.0);
        QTest::newRow("all-reduce-columns") << ""
                                            << "Y" << others;
        QTest::newRow("all-reduce-weight-gradient") << ""
                                                    << "dW1" << others;
        QTest::newRow("missing-input-gradient-reduce") << ""
                                                       << "dX" << std::sqrt(0.75);
        QTest::newRow("average-instead-of-sum") << " --bias off"
                                                << "Y" << 0.75;
    }

    void bugsAreOffByWhatTheyDo()
    {
        QFETCH(QString, options);
        QFETCH(QString, result);
        QFETCH(double, error);
        const ProgramResult run =
            engine(QString("run --ranks 4 --scheme bug:") + QTest::currentDataTag() + options + kSmall);
        QCOMPARE(run.status, 3);
        const double off = checkNamed(run.json(), result)["relative_error"].toDouble();
        QVERIFY2(near(off, error, 0.1), QByteArray::number(off));
    }

    void everyBugIsCaught_data()
    {
        QTest::addColumn<QString>("scheme");
        for (const char *bug : {"row-bias-each-rank", "nonlinearity-on-partial", "concat-partials", "unsharded-heads"})
            QTest::newRow(bug) << QString("bug:") + bug;
    }

    void everyBugIsCaught()
    {
        QFETCH(QString, scheme);
        const ProgramResult table = engine("run --ranks 4 --hidden 256 --steps 1 --warmup 0 --scheme " + scheme);
        QCOMPARE(table.status, 3);
        for (const char *words : {"the rule:", "what happens:", "the right way:", "done right: --scheme", "FAILED"})
            QVERIFY2(table.out.contains(words), words);
        // The reason of whole heads is not given for heads in slices.
        QVERIFY(!table.out.contains("Heads do not look at each other"));
    }

    /// The script of the popular exercise: it reduces what it must not, and does not reduce what it must.
    void theNaiveExercise()
    {
        const QString words = "compare --scheme bug:naive-exercise --ranks 4 --hidden 512 --batch 1";
        const ProgramResult table = engine(words + " --steps 2 --warmup 0");
        QCOMPARE(table.status, 3);
        QVERIFY2(table.out.contains("9.0 x the bytes of prefill = 1 + h/tokens = 1 + 512/64"), table.out.constData());
        const ProgramResult json = engine(words + kFew);
        QCOMPARE(json.status, 3);
        const QJsonObject document = json.json();
        const QJsonObject training = document["phases"]["training"].toObject();
        for (const auto &[result, error] :
             {std::pair("Y", std::sqrt(3.0)), std::pair("dW", std::sqrt(3.0)), std::pair("dX", std::sqrt(0.75))}) {
            const double off = checkNamed(training, result)["relative_error"].toDouble();
            QVERIFY2(near(off, error, 0.1), QByteArray(result) + ' ' + QByteArray::number(off));
        }
        QCOMPARE(document["ratios"]["training_to_prefill"]["sent_bytes"].toDouble(), 9.0);
    }

    /// Ranks share heads without being told to, and the gradient that is right all the same is said to be.
    void sharedHeadsThatAreNotSummed()
    {
        const ProgramResult wrong = engine("run --scheme bug:unreduced-kv --ranks 4 --hidden 256 --heads 8" + kFew);
        QCOMPARE(wrong.status, 3);
        QCOMPARE(wrong.json()["experiment"]["kv_heads"].toInt(), 2);
        const ProgramResult table =
            engine("run --scheme bug:unreduced-kv --ranks 4 --hidden 256 --heads 8 --steps 1 --warmup 0");
        QVERIFY2(table.out.contains("dbk is right all the same"), table.out.constData());
    }

    /// A bug of the backward pass has no prefill; what can run is run, and that is said.
    void aBugOfTheBackwardPass()
    {
        const QString words = "compare --scheme bug:missing-input-gradient-reduce --ranks 4";
        const ProgramResult table = engine(words + " --hidden 64 --steps 1 --warmup 0");
        QCOMPARE(table.status, 3);
        QVERIFY2(table.out.contains("prefill is left out") && table.out.contains("decode is left out"),
                 table.out.constData());
        const QJsonObject document = engine(words + " --hidden 64" + kFew).json();
        QCOMPARE(document["phases"].toObject().keys(), QStringList{"training"});
        QVERIFY(document["ratios"]["training_to_prefill"]["sent_bytes"].isNull());
    }

    void bubbleOfAPipeline()
    {
        const QString words = "run --scheme pipeline --ranks 4 --micro-batches 8 --stage-delay 60:120 --hidden 64 "
                              "--batch 1 --sequence 16 --format json --steps 2 --warmup 0 --schedule ";
        constexpr double kBubble = 3.0 / 11;
        QList<QJsonObject> memories;
        for (const char *schedule : {"1f1b", "gpipe"}) {
            const ProgramResult result = engine(words + schedule);
            QVERIFY2(result.status == 0, result.err.constData());
            const QJsonObject run = result.json();
            const double share = run["totals"]["step"]["bubble_share"].toDouble();
            QVERIFY2(near(share, kBubble, 0.15), QByteArray::number(share));
            memories.append(run["memory_bytes_per_rank"].toObject());
        }
        // All micro-batches in flight, not as many as there are stages.
        for (const char *memory : {"formula", "measured"})
            QVERIFY2(memories[1].value(memory).toInteger() > memories[0].value(memory).toInteger(), memory);
    }

    void overlapChangesNoCollective()
    {
        const QString words = "run --scheme mlp --ranks 2 --hidden 256 --steps 5 --warmup 1 --format json --overlap ";
        const QJsonObject on = engine(words + "on").json();
        const QJsonObject off = engine(words + "off").json();
        QVERIFY(allPassed(on) && allPassed(off));
        for (const char *pass : {"forward", "backward"})
            QCOMPARE(countsOf(on, pass), countsOf(off, pass));
        QCOMPARE(off["totals"]["step"]["hidden_us"].toDouble(), 0.0);
        for (const QJsonObject &run : {on, off}) {
            const QJsonObject step = run["totals"]["step"].toObject();
            const double sum = step["exposed_us"].toDouble() + step["hidden_us"].toDouble();
            QVERIFY(near(sum, step["communication_us"].toDouble(), 0.01));
        }
    }

    void fourWaysToShareALayer()
    {
        const ProgramResult result =
            engine("compare --schemes mlp,zero3,data-parallel,pipeline --ranks 4 --hidden 256" + kFew);
        QVERIFY2(result.status == 0, result.err.constData());
        const QJsonObject schemes = result.json()["schemes"].toObject();
        QCOMPARE(schemes.keys(), QStringList({"data-parallel", "mlp", "pipeline", "zero3"}));
        for (const QString &scheme : schemes.keys()) {
            const QJsonObject run = schemes[scheme].toObject();
            QVERIFY2(allPassed(run), qPrintable(scheme));
            const QJsonObject e = run["experiment"].toObject();
            QCOMPARE(e["layers"].toInt(), 4);
            const int replicas = scheme == "zero3" || scheme == "data-parallel" ? 4 : 1;
            QCOMPARE(e["batch"].toInt() * e["sequence"].toInt() * replicas, 4 * 64);
        }
        const qint64 gradients = sentIn(schemes["data-parallel"].toObject(), "step");
        QCOMPARE(2 * sentIn(schemes["zero3"].toObject(), "step"), 3 * gradients);
        // 256 of P/(2·L·h) tokens, P = L·(2·h·f + f + h).
        const double crossover = (2.0 * 256 * 1024 + 1024 + 256) / (2 * 256);
        QVERIFY(near(double(sentIn(schemes["mlp"].toObject(), "step")) / double(gradients), 256 / crossover, 0.001));
    }

    void sequenceParallelMeshes()
    {
        const QString words = "run --scheme block --mesh tp=2,dp=2 --zero 3 --sequence-parallel megatron";
        const ProgramResult table = engine(words + " --hidden 128 --heads 4 --steps 1 --warmup 0");
        QVERIFY2(table.status == 0, table.err.constData());
        for (const char *said : {"axis", "tp", "dp", "Who sends to whom", "rank 3"})
            QVERIFY2(table.out.contains(said), said);
        const QJsonObject run = engine(words + " --hidden 128 --heads 4" + kFew).json();
        QVERIFY(allPassed(run));
        QSet<QString> axes;
        for (const QJsonValue &collective : run["collectives"].toArray())
            axes.insert(collective["axis"].toString());
        QCOMPARE(axes, QSet<QString>({"tp", "dp"}));
    }
};

QTEST_GUILESS_MAIN(TestCliSchemes)
#include "tst_cli_schemes.moc"
