// SPDX-License-Identifier: MIT
// Predictions for thousands of ranks, in every format; and what of that cannot run here.
#include "tests/cli/engine_program.h"

namespace {

const QString kLarge =
    QStringLiteral("predict --hardware h100-8 --scheme block --layers 96 --hidden 12288 --mesh tp=8,pp=16,dp=128");

} // namespace

class TestCliScale : public QObject
{
    Q_OBJECT

private slots:
    void sixteenThousandRanks()
    {
        double best = 1e9;
        QJsonObject run;
        for (int i = 0; i < 3; ++i) {
            const ProgramResult result = engine(kLarge + " --format json");
            QCOMPARE(result.status, 0);
            run = result.json();
            best = std::min(best, run["elapsed_ms"].toDouble(1e9));
        }
        qInfo("plan and simulation: %.1f ms, best of three", best);
        QVERIFY(best > 0 && best < 1000); // 50 where nothing else runs
        const QJsonObject machine = run["machine"].toObject();
        QCOMPARE(machine["hosts"].toArray().size(), 2048);
        QCOMPARE(machine["hosts"][2047].toObject()["name"].toString(), QString("node 2047"));
        QCOMPARE(machine["hosts"][0].toObject()["ranks"].toArray().size(), 8);
        QCOMPARE(machine["devices"].toArray().size(), 1);
        const QJsonObject step = run["totals"].toObject()["step"].toObject();
        QVERIFY(step["elapsed_us"].toDouble() > 1e5);
        QVERIFY(step["bubble_share"].toDouble() > 0.5); // one micro-batch on 16 stages
    }

    void everyFormat_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QByteArray>("holds");
        QTest::newRow("table") << "table" << QByteArray("2048 nodes: node 0 (ranks 0-7), node 1 (ranks 8-15)");
        QTest::newRow("csv") << "csv" << QByteArray("training,block,16384,12288");
        QTest::newRow("trace") << "trace" << QByteArray("and 1023 ranks that do the same");
        QTest::newRow("jsonl") << "jsonl" << QByteArray("\"stand_ins\":[0,0");
    }
    void everyFormat()
    {
        QFETCH(QString, format);
        QFETCH(QByteArray, holds);
        const ProgramResult result = engine(kLarge + " --format " + format);
        QCOMPARE(result.status, 0);
        QVERIFY2(result.out.contains(holds), result.out.left(2000).constData());
        QVERIFY2(result.out.size() < 8'000'000, QByteArray::number(result.out.size()).constData());
    }

    void plansToo()
    {
        const ProgramResult result = engine("plan --scheme mlp --layers 4 --mesh tp=8,dp=1024");
        QCOMPARE(result.status, 0);
        QVERIFY(result.out.contains("dp=1024") || result.out.contains("dp 1024"));
    }

    void hostileSizes_data()
    {
        QTest::addColumn<QString>("words");
        for (const char *words :
             {"--ranks 16384 --hidden 65536", "--scheme zero3 --ranks 16384 --hidden 16384 --layers 8",
              "--scheme pipeline --ranks 96 --layers 96 --micro-batches 16", "--scheme data-parallel --ranks 16384",
              "--scheme attention --ranks 1024 --hidden 65536 --heads 1024 --kv-heads 8 --phase decode",
              "--scheme block --hidden 100000000 --ffn 400000000 --heads 100000 --layers 256 --dtype f64",
              "--scheme logits --ranks 16000", "--scheme block --mesh tp=64,dp=64 --algorithm tree --hidden 4096"})
            QTest::newRow(words) << QString(words);
    }
    void hostileSizes()
    {
        QFETCH(QString, words);
        const ProgramResult result = engine("predict --hardware h100-8 --format json " + words);
        QVERIFY2(result.status == 0, result.err.constData());
        const QJsonObject run = result.json();
        QVERIFY(run["totals"]["step"]["elapsed_us"].toDouble() > 0);
        for (const QJsonValue &collective : run["collectives"].toArray()) {
            QVERIFY(collective["payload_bytes"].toDouble() > 0);
            QVERIFY(collective["sent_bytes_per_rank"].toDouble() >= 0);
        }
        QVERIFY(run["memory_bytes_per_rank"]["formula"].toDouble() > 0); // no count has left its type
    }

    void runsAreRefused_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char *words, const char *says) {
            QTest::newRow(words) << QString(words) << QByteArray(says);
        };
        row("run --ranks 128",
            "--ranks 128: 128 ranks are 128 processes here, and a run starts at most 64; allowed: up "
            "to 64 ranks, or a prediction (predict), which goes to 16384");
        row("run --mesh tp=8,dp=16", "--mesh tp=8,dp=16: 128 ranks");
        row("compare --ranks 128", "--ranks 128: 128 ranks");
        row("sweep --ranks 2,128", "--ranks 128: 128 ranks");
        row("run --layers 65", "--layers 65: each is computed here, and a run has at most 64");
        row("run --layers 64 --micro-batches 16", "L x m = 1024 passes through a layer are computed here");
        row("run --micro-batches 65", "--micro-batches 65: each is computed here");
        row("predict --hardware h100-8 --ranks 16385", "out of range; allowed: 1 to 64 in a run, to 16384 in a "
                                                       "prediction");
        row("predict --hardware h100-8 --ranks 128 --algorithm ring", "for groups of at most 64 ranks");
    }
    void runsAreRefused()
    {
        QFETCH(QString, words);
        QFETCH(QByteArray, says);
        const ProgramResult result = engine(words);
        QCOMPARE(result.status, 2);
        QVERIFY2(isOneLine(result) && result.err.contains(says), result.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliScale)
#include "tst_cli_scale.moc"
