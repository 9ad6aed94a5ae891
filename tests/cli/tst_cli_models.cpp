// SPDX-License-Identifier: MIT
// memory and advise from outside: figures of the contract, documents, help.
#include "tests/cli/engine_program.h"

#include <QElapsedTimer>

namespace {

/// Every line of advice in the document, of layouts and of the whole.
QList<QJsonObject> adviceLines(const QJsonObject &part)
{
    QList<QJsonObject> lines;
    const auto add = [&](const QJsonArray &list) {
        for (const QJsonValue &line : list)
            lines.append(line.toObject());
    };
    add(part["lines"].toArray());
    for (const QJsonValue &layout : part["layouts"].toArray())
        add(layout["lines"].toArray());
    return lines;
}

QJsonObject recommended(const QJsonObject &advice)
{
    return advice["training"]["recommended"].toObject();
}

} // namespace

class TestCliModels : public QObject
{
    Q_OBJECT

private slots:
    void memoryOfTheContract()
    {
        const ProgramResult result = engine("memory --model gpt3 --tp 8 --bytes-per-parameter 18");
        QCOMPARE(result.status, 0);
        for (const char *words : {"366.4 GiB", "365.9 GiB", "51.75 GiB", "174.6 billion parameters", "embedding",
                                  "norms, row biases, positions (replicated)", "KV cache", "5as/(ht)",
                                  "from: Korthikanti 2022", "Megatron-LM", "not measured"})
            QVERIFY2(result.out.contains(words), words);
    }

    void memoryAsDocument()
    {
        const QJsonObject memory = engine("memory --model gpt3 --tp 8 --format json").json();
        QCOMPARE(memory["schema"].toInt(), 1);
        QCOMPARE(memory["model"]["parameters"].toInteger(), 174'615'846'912);
        const QJsonObject training = memory["training"].toObject();
        QCOMPARE(training["state_bytes"].toInteger(), 393'393'881'088);
        QCOMPARE(training["state_divided_by_tp_bytes"].toInteger(), 392'885'655'552);
        qint64 sum = 0;
        for (const QJsonValue &term : training["terms"].toArray()) {
            sum += term["bytes"].toInteger();
            for (const char *key : {"kind", "part", "name", "formula", "source"})
                QVERIFY2(!term[key].toString().isEmpty(), key);
        }
        QCOMPARE(sum, training["total_bytes"].toInteger());
        QCOMPARE(memory["inference"]["gradients_bytes"].toInteger(), 0);
        QCOMPARE(memory["settings"]["sequence_parallel"], QJsonValue(false));
    }

    void optionsOfMemoryMatter_data()
    {
        QTest::addColumn<QString>("option");
        for (const char *option : {"--tp 16", "--pp 2", "--dp 2 --zero 1", "--sequence-parallel on", "--recompute full",
                                   "--bytes-per-parameter 16", "--batch 2", "--sequence 1024", "--weights fp8",
                                   "--pp 4 --micro-batches 2", "--model 22b"})
            QTest::newRow(option) << option;
    }

    void optionsOfMemoryMatter()
    {
        QFETCH(QString, option);
        const QString model = option.startsWith("--model") ? "" : "--model gpt3 ";
        const QString tp = option.startsWith("--tp") ? "" : "--tp 8 ";
        const ProgramResult changed = engine("memory " + model + tp + option + " --format json");
        QCOMPARE(changed.status, 0);
        const QJsonObject plain = engine("memory --model gpt3 --tp 8 --format json").json();
        QVERIFY(changed.json()["training"] != plain["training"] || changed.json()["inference"] != plain["inference"]);
    }

    void modelsAreListed()
    {
        for (const char *command : {"memory", "advise"}) {
            const ProgramResult list = engine(QString(command) + " --model list");
            QCOMPARE(list.status, 0);
            for (const char *name :
                 {"gpt3", "llama2-70b", "llama3-8b", "llama3-70b", "llama3-405b", "22b", "530b", "1t"})
                QVERIFY2(list.out.contains(QByteArray("\n  ") + name + ' '), name);
        }
        const ProgramResult json = engine("memory --model list --format json");
        QVERIFY(QJsonDocument::fromJson(json.out).array().size() >= 9);
    }

    void adviceOfTheContract()
    {
        const QJsonObject advice = engine("advise --model llama3-70b --gpus 64 --hardware h100-8 --format json").json();
        QCOMPARE(recommended(advice)["tp"].toInt(), 8);
        QCOMPARE(recommended(advice)["tp"].toInt() * recommended(advice)["pp"].toInt() *
                     recommended(advice)["dp"].toInt(),
                 64);
        for (const char *part : {"training", "inference"}) {
            const QList<QJsonObject> lines = adviceLines(advice[part].toObject());
            QVERIFY(lines.size() > 5);
            for (const QJsonObject &line : lines) {
                for (const char *key : {"finding", "rule", "source"})
                    QVERIFY2(!line[key].toString().isEmpty(), key);
            }
        }
    }

    void adviceAsTable()
    {
        const ProgramResult table = engine("advise --model llama3-70b --gpus 64 --hardware h100-8");
        QCOMPARE(table.status, 0);
        for (const char *words : {"recommended", "leaves the node", "TP 4 x PP 8 = 32", "Why not the others",
                                  "predicted, not measured", "F·W/C", "all-reduces"})
            QVERIFY2(table.out.contains(words) || table.out.contains(QByteArray(words).replace("·", "*")), words);
        // A finding is followed by its rule and where that comes from.
        QCOMPARE(table.out.count("\n    rule: "), table.out.count("\n    from: "));
        QVERIFY(table.out.count("\n    rule: ") > 10);
        QVERIFY(!table.out.contains("What changes"));
    }

    void adviceForPcieSaysWhatChanges()
    {
        const ProgramResult table = engine("advise --model llama3-70b --gpus 64 --hardware pcie5-8");
        QVERIFY(table.out.contains("What changes against h100-8"));
        const QJsonObject advice =
            engine("advise --model llama3-70b --gpus 64 --hardware pcie5-8 --format json").json();
        QVERIFY(recommended(advice)["tp"].toInt() <= 2);
    }

    void optionsOfAdviceMatter()
    {
        const QString plain = "advise --model llama3-8b --gpus 8 --format json";
        const QJsonObject without = engine(plain).json();
        for (const char *option :
             {" --latency-ms 8", " --bytes-per-parameter 12", " --global-batch 64", " --batch 4", " --hardware a100-8"})
            QVERIFY2(engine(plain + option).json() != without, option);
    }

    void answersAtOnce()
    {
        engine("memory --model gpt3"); // the program is in memory
        for (const char *words :
             {"memory --model 1t --tp 8 --pp 64", "advise --model 1t --gpus 3072 --hardware a100-8"}) {
            qint64 fastest = 1000;
            for (int i = 0; i < 5; ++i) { // others may use the machine
                QElapsedTimer timer;
                timer.start();
                QCOMPARE(engine(words).status, 0);
                fastest = std::min(fastest, timer.elapsed());
            }
            QVERIFY2(fastest < 200, qPrintable(QString::number(fastest))); // 50 ms, and what QProcess takes
        }
    }

    void helpHasDefaultsAndValues()
    {
        const QByteArray memory = engine("memory --help").out;
        for (const char *words : {"--bytes-per-parameter N", "12, 16, 18 [18]", "--recompute WORD", "[none]",
                                  "--micro-batches N", "[pp]", "llama3-70b"})
            QVERIFY2(memory.contains(words), words);
        const QByteArray advise = engine("advise --help").out;
        for (const char *words : {"--gpus N", "--latency-ms MS", "[h100-8]", "[32]"})
            QVERIFY2(advise.contains(words), words);
    }
};

QTEST_GUILESS_MAIN(TestCliModels)
#include "tst_cli_models.moc"
