// SPDX-License-Identifier: MIT
// Real ranks, with the numbers that the contract names.
#include "tests/cli/engine_program.h"

#include <QTemporaryDir>

namespace {

/// Counts, bytes and checks do not depend on how often a step runs.
const QString kFew = " --steps 3 --warmup 1 --format json";

bool allPassed(const QJsonObject &run)
{
    const QJsonArray checks = run["checks"].toArray();
    return !checks.isEmpty() &&
           std::all_of(checks.begin(), checks.end(), [](const QJsonValue &check) { return check["passed"].toBool(); });
}

} // namespace

class TestCliRuns : public QObject
{
    Q_OBJECT

private slots:
    void comparisonOfAnMlp_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<qint64>("sent");
        QTest::newRow("2") << 2 << qint64{1048576};
        QTest::newRow("4") << 4 << qint64{1572864};
    }

    void comparisonOfAnMlp()
    {
        QFETCH(int, ranks);
        QFETCH(qint64, sent);
        const ProgramResult result = engine(QString("compare --scheme mlp --hidden 1024 --ranks %1").arg(ranks) + kFew);
        QVERIFY2(result.status == 0, result.err.constData());
        const QJsonObject document = result.json();
        const QJsonObject training = document["phases"]["training"].toObject();
        QCOMPARE(training["source"].toString(), QString("measured"));
        for (const auto &[pass, tensor] : {std::pair("forward", "Y"), std::pair("backward", "dX")}) {
            const QList<QJsonObject> found = collectivesOf(training, pass);
            QCOMPARE(found.size(), 1);
            QCOMPARE(found[0]["op"].toString(), QString("all_reduce"));
            QCOMPARE(found[0]["tensor"].toString(), QString(tensor));
            QCOMPARE(found[0]["payload_bytes"].toInteger(), 1048576);
            QCOMPARE(found[0]["sent_bytes_per_rank"].toInteger(), sent);
            QCOMPARE(found[0]["count"].toInteger(), found[0]["planned_count"].toInteger());
        }
        QCOMPARE(document["phases"]["decode"]["collectives"][0]["payload_bytes"].toInteger(), 16384);
        QCOMPARE(document["ratios"]["training_to_prefill"]["collectives"].toDouble(), 2.0);
        QCOMPARE(document["ratios"]["training_to_prefill"]["sent_bytes"].toDouble(), 2.0);
        QCOMPARE(document["ratios"]["decode_to_training_per_token"]["collectives"].toDouble(), 32.0);
        QCOMPARE(document["ratios"]["decode_to_training_per_token"]["sent_bytes"].toDouble(), 0.5);
        for (const char *phase : {"training", "prefill", "decode"})
            QVERIFY(allPassed(document["phases"][phase].toObject()));
    }

    void columnGathersItsOutput()
    {
        const QJsonObject run = engine("run --scheme column --gather-output on --ranks 4" + kFew).json();
        const QList<QJsonObject> forward = collectivesOf(run, "forward");
        QCOMPARE(forward.size(), 1);
        QCOMPARE(forward[0]["op"].toString(), QString("all_gather"));
        QCOMPARE(forward[0]["tensor"].toString(), QString("Y"));
        QCOMPARE(forward[0]["payload_bytes"].toInteger(), 4194304);
        QCOMPARE(forward[0]["sent_bytes_per_rank"].toInteger(), 3145728);
        const QList<QJsonObject> backward = collectivesOf(run, "backward");
        QCOMPARE(backward.size(), 1);
        QCOMPARE(backward[0]["op"].toString(), QString("all_reduce"));
        QCOMPARE(backward[0]["tensor"].toString(), QString("dX"));
        const QJsonObject frozen =
            engine("run --scheme column --gather-output on --ranks 4 --input-gradient off" + kFew).json();
        QVERIFY(collectivesOf(frozen, "backward").isEmpty());
        QVERIFY(allPassed(run) && allPassed(frozen));
    }

    void rowGathersTheGradientOfAWholeInput()
    {
        const QJsonObject run = engine("run --scheme row --input-parallel off --ranks 4" + kFew).json();
        const QList<QJsonObject> backward = collectivesOf(run, "backward");
        QCOMPARE(backward.size(), 1);
        QCOMPARE(backward[0]["op"].toString(), QString("all_gather"));
        QCOMPARE(backward[0]["tensor"].toString(), QString("dX"));
        QCOMPARE(backward[0]["payload_bytes"].toInteger(), 4194304);
        QVERIFY(allPassed(run));
    }

    void algorithms_data()
    {
        QTest::addColumn<qint64>("sent");
        QTest::addColumn<int>("hops");
        QTest::newRow("ring") << qint64{1572864} << 6;
        QTest::newRow("halving-doubling") << qint64{1572864} << 4;
        QTest::newRow("tree") << qint64{2097152} << 4;
        QTest::newRow("direct") << qint64{3145728} << 1;
    }

    void algorithms()
    {
        QFETCH(qint64, sent);
        QFETCH(int, hops);
        const QJsonObject run =
            engine(QString("run --scheme mlp --ranks 4 --algorithm ") + QTest::currentDataTag() + kFew).json();
        const QList<QJsonObject> forward = collectivesOf(run, "forward");
        QCOMPARE(forward.size(), 1);
        QCOMPARE(forward[0]["sent_bytes_per_rank"].toInteger(), sent);
        QCOMPARE(forward[0]["hops"].toInt(), hops);
        QVERIFY(allPassed(run));
    }

    void oneRankHasNoCollectives()
    {
        const ProgramResult result = engine("run --ranks 1 --hidden 64" + kFew);
        QCOMPARE(result.status, 0);
        QVERIFY(result.json()["collectives"].toArray().isEmpty());
    }

    void bugsAreCaught_data()
    {
        QTest::addColumn<QString>("bug");
        QTest::newRow("bias") << QString("bug:row-bias-each-rank");
        QTest::newRow("columns") << QString("bug:all-reduce-columns");
    }

    void bugsAreCaught()
    {
        QFETCH(QString, bug);
        const ProgramResult table = engine("run --scheme " + bug + " --ranks 4 --hidden 256 --steps 2 --warmup 0");
        QCOMPARE(table.status, 3);
        QVERIFY(table.out.contains("the rule:"));
        QVERIFY(table.out.contains("the right way"));
        QVERIFY(table.out.contains("FAILED"));
        QVERIFY2(table.err.contains("check failed: ") && table.err.contains("broken rule: "), table.err.constData());
        QCOMPARE(table.err.count('\n'), 1);
        const QJsonObject run = engine("run --scheme " + bug + " --ranks 4 --hidden 256" + kFew).json();
        QVERIFY(!allPassed(run));
        QVERIFY(!run["checks"].toArray().isEmpty());
    }

    void aLateRankIsWaitedFor()
    {
        // Far above the noise of a busy machine, where other ranks are late by themselves; half of it must be seen.
        constexpr double kDelayUs = 400'000;
        const ProgramResult result = engine("run --ranks 4 --hidden 256 --delay 2:400 --steps 5 --format json");
        QCOMPARE(result.status, 0);
        const QList<QJsonObject> forward = collectivesOf(result.json(), "forward");
        QCOMPARE(forward.size(), 1);
        const double waitUs = forward[0]["wait_us"].toDouble();
        QVERIFY2(waitUs >= kDelayUs / 2, QByteArray::number(waitUs));
        QCOMPARE(forward[0]["verdict"].toString(), QString("waiting"));
    }

    void theGiantStartsNoRank()
    {
        const ProgramResult result = engine("run --hidden 99999999");
        QCOMPARE(result.status, 2);
        QVERIFY(isOneLine(result));
        QVERIFY2(result.err.contains("of memory"), result.err.constData()); // the estimate
    }

    void sweepRunsEveryPoint()
    {
        const ProgramResult result = engine("sweep --scheme mlp --phase training,prefill,decode --hidden 128,256 "
                                            "--batch 1,8 --sequence 16 --ranks 2 --steps 3 --warmup 1 --format csv");
        QVERIFY2(result.status == 0, result.err.constData());
        const QList<QByteArray> lines = result.lines();
        QCOMPARE(lines.size(), 13);
        for (qsizetype i = 1; i < lines.size(); ++i) {
            QVERIFY2(lines[i].endsWith(",true"), lines[i].constData());
            QVERIFY(lines[i].contains(",cpu,"));
        }
    }

    void whatWasSavedIsWhatWasMeasured()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath("run.shardscope");
        QCOMPARE(engine("run --ranks 2 --hidden 128 --steps 3 --warmup 1 --format jsonl --output " + path).status, 0);
        const ProgramResult shown = engine("show " + path + " --format json");
        QCOMPARE(shown.status, 0);
        QCOMPARE(shown.json()["source"].toString(), QString("recorded"));
        QVERIFY(allPassed(shown.json()));
        QVERIFY(shown.json()["collectives"][0]["median_us"].toDouble() > 0);
    }

    void bandwidthFitsAlphaAndBeta()
    {
        const ProgramResult result = engine("bandwidth --ranks 2 --format json");
        QVERIFY2(result.status == 0, result.err.constData());
        QVERIFY(result.json()["points"].toArray().size() >= 6);
        QVERIFY(result.json()["fit"]["all_reduce"]["alpha_us"].toDouble() >= 0);
        QVERIFY(result.json()["fit"]["all_reduce"]["busbw_GBps"].toDouble() > 0);
    }

    void thisMachineIsMeasuredAndPredicted()
    {
        const ProgramResult result = engine("predict --hardware this --ranks 4 --hidden 256 --format json");
        QVERIFY2(result.status == 0, result.err.constData());
        QCOMPARE(result.json()["source"].toString(), QString("predicted"));
        QCOMPARE(result.json()["machine"]["backend"].toString(), QString("gloo"));
        QVERIFY(result.json()["totals"]["step"]["elapsed_us"].toDouble() > 0);
    }

    void doctorAlwaysEndsWell()
    {
        const ProgramResult result = engine("doctor --format json");
        QCOMPARE(result.status, 0);
        const QJsonArray findings = result.json()["findings"].toArray();
        QVERIFY(findings.size() >= 12);
        for (const QJsonValue &finding : findings) {
            if (finding["state"].toString() != "good")
                QVERIFY(!finding["cause"].toString().isEmpty() && !finding["remedy"].toString().isEmpty());
        }
    }
};

QTEST_GUILESS_MAIN(TestCliRuns)
#include "tst_cli_runs.moc"
