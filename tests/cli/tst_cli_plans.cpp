// SPDX-License-Identifier: MIT
// What is computed without ranks: plans, predictions, predicted sweeps and comparisons.
#include "tests/cli/engine_program.h"

#include <QRegularExpression>
#include <clocale>

namespace {

/// How long a prediction took is another number each time.
QString withoutTimeTaken(const QByteArray &out)
{
    static const QRegularExpression taken("\"elapsed_(ms|ns)\": ?[0-9.]+");
    return QString::fromUtf8(out).remove(taken);
}

} // namespace

class TestCliPlans : public QObject
{
    Q_OBJECT

private slots:
    /// Under de_DE the suite means something only when the locale is there.
    void germanNumbersHaveAComma()
    {
        if (qgetenv("LC_ALL") != "de_DE.UTF-8")
            QSKIP("runs under LC_ALL=de_DE.UTF-8");
        QVERIFY2(std::setlocale(LC_ALL, "") != nullptr, "generate de_DE.UTF-8: packaging/setup.sh does");
        QCOMPARE(std::localeconv()->decimal_point[0], ',');
        std::setlocale(LC_ALL, "C");
    }

    void predictionOfTheContract()
    {
        const ProgramResult result =
            engine("predict --hardware h100-8 --ranks 8 --hidden 8192 --batch 1 --sequence 4096 "
                   "--dtype bf16 --format json");
        QCOMPARE(result.status, 0);
        const QJsonObject run = result.json();
        QCOMPARE(run["source"].toString(), QString("predicted"));
        QVERIFY(run["checks"].isArray());
        QVERIFY(run["checks"].toArray().isEmpty());
        QCOMPARE(run["collectives"].toArray().size(), 2);
        for (const QJsonValue &value : run["collectives"].toArray()) {
            QCOMPARE(value["payload_bytes"].toInteger(), 67108864);
            QCOMPARE(value["sent_bytes_per_rank"].toInteger(), 117440512);
            QCOMPARE(value["wire_dtype"].toString(), QString("bf16"));
        }
        const QJsonObject totals = run["totals"].toObject();
        QCOMPARE(totals.keys(), QStringList({"backward", "forward", "optimizer", "recompute", "step"}));
        QCOMPARE(run["experiment"]["hidden"].toInteger(), 8192);
        QCOMPARE(run["experiment"]["ffn"].toInteger(), 32768);
        QCOMPARE(run["experiment"]["gather_output"], QJsonValue(false));
        QCOMPARE(run["machine"]["backend"].toString(), QString("nccl"));
        QVERIFY(run["memory_bytes_per_rank"]["measured"].isNull());
        QVERIFY(run["memory_bytes_per_rank"]["formula"].toInteger() > 0);
    }

    void keysOfACollective()
    {
        const QJsonObject run = engine("predict --hardware a100-8 --ranks 4 --format json").json();
        QStringList keys = run["collectives"][0].toObject().keys();
        QStringList contract{"pass",
                             "op",
                             "tensor",
                             "axis",
                             "why",
                             "count",
                             "planned_count",
                             "payload_bytes",
                             "sent_bytes_per_rank",
                             "wire_dtype",
                             "hops",
                             "median_us",
                             "p10_us",
                             "p90_us",
                             "transfer_us",
                             "wait_us",
                             "algbw_GBps",
                             "busbw_GBps",
                             "verdict"};
        contract.append("could_be_hidden"); // beside what the contract names
        contract.sort();
        QCOMPARE(keys, contract);
    }

    void presetsAreListed()
    {
        const ProgramResult result = engine("predict --hardware list");
        QCOMPARE(result.status, 0);
        for (const char *preset : {"a100-8", "h100-8", "h100-8-nvls", "b200-8", "pcie5-8", "this"})
            QVERIFY2(result.out.contains(preset), preset);
        const QJsonArray list = QJsonDocument::fromJson(engine("predict --hardware list --format json").out).array();
        QCOMPARE(list.size(), 5);
        QVERIFY(list[0]["sources"].toArray().size() >= 3);
    }

    void comparisonOfTheContract_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<QJsonValue>("collectives");
        QTest::newRow("mlp") << QString("mlp") << QJsonValue(2.0);
        QTest::newRow("row") << QString("row") << QJsonValue(1.0);
        QTest::newRow("column") << QString("column") << QJsonValue(QJsonValue::Null);
    }

    void comparisonOfTheContract()
    {
        QFETCH(QString, scheme);
        QFETCH(QJsonValue, collectives);
        const QJsonObject result =
            engine("compare --hardware a100-8 --scheme " + scheme + " --ranks 2 --hidden 1024 --format json").json();
        QCOMPARE(result["phases"].toObject().keys(), QStringList({"decode", "prefill", "training"}));
        const QJsonObject ratios = result["ratios"]["training_to_prefill"].toObject();
        QCOMPARE(ratios["collectives"], collectives);
        QCOMPARE(ratios["sent_bytes"], collectives);
    }

    /// Four tables from one plan each: what moves, whether anybody waits for it, what it costs, where the bytes cross.
    void schemesOfOneLayer()
    {
        const QString words = "compare --hardware a100-8 --schemes mlp,zero3,data-parallel,pipeline --ranks 4 ";
        const ProgramResult table = engine(words);
        QCOMPARE(table.status, 0);
        for (const char *said :
             {"4 layers, 256 tokens", "activations", "parameters", "gradients", "yes: the next step needs it",
              "no: known before", "no: needed by the optimizer only", "bubble", "P/(2*L*h)", "4099", "6148",
              "below: tensor parallelism sends 16 x less", "P = 33574912"})
            QVERIFY2(table.out.contains(said), said);
        const QByteArray above = engine(words + "--batch 128 --hidden 256").out;
        QVERIFY2(above.contains("above: tensor parallelism sends"), above.constData());
        // By the bytes of the plans themselves, so that the factor is that of the column beside it.
        const QByteArray gathered =
            engine("compare --hardware h100-8 --schemes mlp,zero3,data-parallel --ranks 4 --hidden 256 "
                   "--sequence-parallel megatron")
                .out;
        for (const char *said : {"P/(2.5*L*h)", "1.5 * P/(2.5*L*h)", "3.2 x less", "4.8 x less"})
            QVERIFY2(gathered.contains(said), gathered.constData());
        const QByteArray block = engine("compare --hardware a100-8 --schemes block,zero2 --ranks 4 --micro-batches 4 "
                                        "--batch 16")
                                     .out;
        QVERIFY2(block.contains("2.5 * P/(4*L*h)"), block.constData());
        const QJsonObject document = engine(words + "--format json").json();
        QCOMPARE(document["schema"].toInt(), 1);
        QCOMPARE(document["schemes"].toObject().size(), 4);
        QCOMPARE(engine(words + "--format csv").lines().size(), 5);
    }

    /// One KV head on all ranks: the sum of its weights' gradients is no sum of an input gradient.
    void causesOfARatio()
    {
        const QByteArray shared = "also add up their gradients of Wk and Wv";
        const QByteArray input = "Backward also adds up the input gradient";
        const QString words = "compare --hardware a100-8 --scheme attention --kv-heads 1 --ranks 4 ";
        const QByteArray both = engine(words).out;
        QVERIFY2(both.contains(shared) && both.contains(input), both.constData());
        const QByteArray one = engine(words + "--input-gradient off").out;
        QVERIFY2(one.contains(shared) && !one.contains(input), one.constData());
    }

    /// What ratios leave out has a line of its own, so that 10 over 4 is what 2.5 says.
    void theOptimizersCollectivesStandApart()
    {
        const QString words = "compare --hardware h100-8 --scheme block --ranks 4 --hidden 512 ";
        const QByteArray parallel = engine(words + "--sequence-parallel megatron").out;
        for (const char *said :
             {"collectives                            11", "  without the optimizer's              10",
              "Forward and backward of a training step call 2.5x", "are not counted"})
            QVERIFY2(parallel.contains(said), parallel.constData());
        QVERIFY(!engine(words).out.contains("without the optimizer's"));
    }

    /// The same tensors in every row, Adam's states apart; one micro-batch and what of communication is waiting.
    void memoryAndBubbleOfSchemes()
    {
        const QByteArray table =
            engine("compare --hardware h100-8 --schemes mlp,zero3,data-parallel,pipeline --ranks 4 --hidden 512").out;
        const auto row = [&](const char *scheme) {
            const QRegularExpression line(QString("\n  %1 +[\\d.]+ MiB .*").arg(scheme));
            return line.match(QString::fromUtf8(table)).captured().simplified().split(' ');
        };
        // Sent, measured, by formula, Adam: 2 x 4 bytes of a quarter of the 8.4 million parameters, or of all.
        QCOMPARE(row("mlp").mid(4, 4).join(' '), QString("18.5 MiB 16 MiB"));
        QCOMPARE(row("data-parallel").mid(4, 4).join(' '), QString("76.6 MiB 64.1 MiB"));
        for (const char *said : {"no optimizer ran in mlp, pipeline", "with one micro-batch only one of 4 stages works",
                                 "8 micro-batches would give 27 %", "is waiting until another stage sends"})
            QVERIFY2(table.contains(said), table.constData());
        const QByteArray wide = engine("predict --scheme pipeline --hardware h100-8 --ranks 4 --micro-batches 8 "
                                       "--hidden 4096 --dtype bf16")
                                    .out;
        QVERIFY2(wide.contains("because a stage hands its gradient on before it adds up"), wide.constData());
    }

    /// Layers and micro-batches make many collectives of a few kinds.
    void collectivesOfOneKindStandTogether()
    {
        const ProgramResult table =
            engine("predict --hardware a100-8 --scheme mlp --ranks 4 --layers 3 --micro-batches 2");
        QVERIFY2(table.out.contains("Y.1#1 ... Y#2"), table.out.constData());
        QCOMPARE(table.out.count("all-reduce Y.1#1 ... Y#2:"), 1); // in the reasons
        QCOMPARE(table.out.count("all-reduce Y."), 2);             // and in the rates
        QVERIFY(table.out.contains("lines of several"));
        QVERIFY(!engine("predict --hardware a100-8").out.contains("lines of several"));
    }

    void aPlanNamesStagesAndAxes()
    {
        const QJsonObject plan = engine("plan --scheme mlp --mesh tp=2,pp=2 --micro-batches 2 --format json").json();
        bool sent = false;
        for (const QJsonValue &step : plan["steps"].toArray()) {
            if (step["collective"]["op"].toString() == "send_recv") {
                sent = true;
                QCOMPARE(step["collective"]["axis"].toString(), QString("pp"));
                QVERIFY(step["stage"].toInt() != step["collective"]["to_stage"].toInt());
            }
        }
        QVERIFY(sent);
        for (const QJsonValue &tensor : plan["tensors"].toArray())
            QCOMPARE(tensor["placements"].toObject().keys(), QStringList({"dp", "pp", "tp"}));
    }

    void sweepsOverTheNewOptions()
    {
        const ProgramResult meshes =
            engine("sweep --hardware a100-8 --mesh tp=2,dp=2;dp=2,pp=2 --micro-batches 1,2 --format csv");
        QCOMPARE(meshes.status, 0);
        QVERIFY2(meshes.lines()[0].endsWith(",checks_passed,mesh,micro_batches"), meshes.lines()[0].constData());
        QCOMPARE(meshes.lines().size(), 5);
        QVERIFY2(meshes.lines()[4].endsWith(",\"dp=2,pp=2\",2"), meshes.lines()[4].constData());
        // What only training uses is left out of the other phases.
        const ProgramResult phases = engine("sweep --hardware a100-8 --scheme block --phase training,decode "
                                            "--sequence-parallel off,megatron --recompute none,full --format csv");
        QCOMPARE(phases.status, 0);
        QCOMPARE(phases.lines().size(), 9);
        QVERIFY(phases.lines()[4].endsWith(",megatron,full"));
        QVERIFY(phases.lines()[8].endsWith(",off,none"));
    }

    void comparisonTellsTheFinding()
    {
        const ProgramResult table = engine("compare --hardware a100-8 --ranks 8");
        QCOMPARE(table.status, 0);
        for (const char *words :
             {"training", "prefill", "decode", "per token", "training to prefill", "2.0 x", "bars: log"})
            QVERIFY2(table.out.contains(words), words);
    }

    /// Nothing in the rows tells a prediction from a measurement.
    void sweepSaysWhereItsNumbersComeFrom()
    {
        const QByteArray out = engine("sweep --hardware a100-8 --ranks 2,16").out;
        QVERIFY2(out.startsWith("predicted for 8 x A100"), out.constData());
        QVERIFY(out.contains("on 2 nodes of 8")); // of one of its points
    }

    void sweepRowsStandInHeaderOrder()
    {
        const ProgramResult result = engine("sweep --hardware a100-8 --format csv --batch 1,8 --hidden 512,1024 "
                                            "--phase training,decode --steps 3,5");
        QCOMPARE(result.status, 0);
        const QList<QByteArray> lines = result.lines();
        QCOMPARE(lines[0], QByteArray("phase,scheme,ranks,hidden,batch,sequence,dtype,backend,step_us,compute_us,"
                                      "communication_us,wait_us,collectives,payload_bytes,sent_bytes_per_rank,"
                                      "checks_passed,steps"));
        QCOMPARE(lines.size(), 1 + 16);
        QVERIFY(lines[1].startsWith("training,mlp,2,512,1,64,f32,"));
        QVERIFY(lines[1].endsWith(",3"));
        QVERIFY(lines[2].endsWith(",5"));
        QVERIFY(lines[3].startsWith("training,mlp,2,512,8,64,f32,"));
        QVERIFY(lines[5].startsWith("training,mlp,2,1024,1,64,f32,"));
        QVERIFY(lines[9].startsWith("decode,mlp,2,512,1,64,f32,"));
        for (const QByteArray &line : lines)
            QCOMPARE(line.count(','), lines[0].count(','));
    }

    void sweepAsJsonIsAListOfRuns()
    {
        for (const auto &[ranks, count] : {std::pair("2", 1), std::pair("2,4", 2)}) {
            const ProgramResult result = engine(QString("sweep --hardware a100-8 --format json --ranks ") + ranks);
            const QJsonArray runs = QJsonDocument::fromJson(result.out).array();
            QCOMPARE(runs.size(), count);
            QCOMPARE(runs.last()["source"].toString(), QString("predicted"));
        }
    }

    /// An option that only some points use is fine in a sweep, and so is it in a comparison.
    void whatSomePointsUseIsTaken()
    {
        QCOMPARE(engine("sweep --hardware a100-8 --scheme column,row --gather-output on,off --format csv").status, 0);
        QCOMPARE(engine("compare --hardware a100-8 --scheme column --input-gradient off").status, 0);
    }

    void planNamesPlacementsAndReasons()
    {
        const ProgramResult text = engine("plan --scheme row --ranks 4");
        QCOMPARE(text.status, 0);
        QVERIFY(text.out.contains("partial"));
        const QJsonObject plan = engine("plan --scheme row --ranks 4 --format json").json();
        QVERIFY(plan["tensors"].toArray().size() >= 3);
        bool reduced = false;
        for (const QJsonValue &step : plan["steps"].toArray()) {
            QVERIFY(!step["why"].toString().isEmpty());
            if (!step["collective"].isNull()) {
                reduced = true;
                QCOMPARE(step["collective"]["op"].toString(), QString("all_reduce"));
                QCOMPARE(step["collective"]["sent_bytes_per_rank"].toInteger(), 1572864);
            }
        }
        QVERIFY(reduced);
    }

    /// Gloo cannot sum bf16, so it travels as f32; NCCL can.
    void theWireFollowsTheMachine()
    {
        const auto wire = [](const QString &hardware) {
            const QJsonObject plan = engine("plan --dtype bf16 --phase prefill --format json" + hardware).json();
            for (const QJsonValue &step : plan["steps"].toArray()) {
                if (!step["collective"].isNull())
                    return step["collective"]["wire_dtype"].toString();
            }
            return QString();
        };
        QCOMPARE(wire(""), QString("f32"));
        QCOMPARE(wire(" --hardware h100-8"), QString("bf16"));
    }

    /// Numbers are for machines: the same bytes in every locale.
    void theLocaleChangesNoNumber()
    {
        QProcessEnvironment german = QProcessEnvironment::systemEnvironment();
        german.insert("LC_ALL", "de_DE.UTF-8");
        QProcessEnvironment plain = QProcessEnvironment::systemEnvironment();
        plain.insert("LC_ALL", "C.UTF-8");
        for (const char *words : {"predict --hardware h100-8 --format json", "predict --hardware h100-8",
                                  "sweep --hardware a100-8 --ranks 2,4 --format csv",
                                  "predict --hardware h100-8 --delay 1:2.5 --format jsonl"}) {
            const ProgramResult result = engine(words, german);
            QCOMPARE(result.status, 0);
            QCOMPARE(withoutTimeTaken(result.out), withoutTimeTaken(engine(words, plain).out));
        }
    }

    /// Where the terminal knows no Unicode, bars and formulas are written in ASCII.
    void asciiWhereUnicodeIsMissing()
    {
        QProcessEnvironment ascii = QProcessEnvironment::systemEnvironment();
        ascii.insert("LC_ALL", "C");
        for (const char *words :
             {"predict --hardware h100-8", "plan --scheme mlp", "compare --hardware a100-8", "plan --scheme logits",
              "plan --scheme block", "predict --hardware h100-8 --scheme pipeline --micro-batches 2",
              "plan --scheme bug:unsharded-heads --ranks 4", "compare --hardware a100-8 --schemes block,zero3"}) {
            const QByteArray out = engine(words, ascii).out;
            QVERIFY(!out.isEmpty());
            for (const char letter : out)
                QVERIFY2(static_cast<unsigned char>(letter) < 128, out.constData());
        }
    }

    void beyondTheNodeIsSaid()
    {
        QVERIFY(engine("predict --hardware h100-8 --ranks 16").out.contains("2 nodes: node 0 (ranks 0-7), node 1"));
    }
};

QTEST_GUILESS_MAIN(TestCliPlans)
#include "tst_cli_plans.moc"
