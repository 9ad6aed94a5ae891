// SPDX-License-Identifier: MIT
#include "tests/plan/plan_experiments.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace shardscope;

namespace {

struct Golden {
    const char *name;
    OptionValues options;
};

OptionValues small(OptionValues more)
{
    const OptionValues small{{"hidden", "8"}, {"ffn", "16"}, {"batch", "2"}, {"sequence", "3"}};
    more.insert(small.begin(), small.end());
    if (more.contains("scheme") && (more["scheme"] == "attention" || more["scheme"] == "logits"))
        more.erase("ffn");
    return more;
}

const std::vector<Golden> &goldens()
{
    static const std::vector<Golden> all{
        {"mlp_training_2", small({})},
        {"mlp_training_1", small({{"ranks", "1"}})},
        {"mlp_swiglu_training_4", small({{"mlp", "swiglu"}, {"ranks", "4"}, {"algorithm", "ring"}})},
        {"mlp_decode_4", small({{"phase", "decode"}, {"ranks", "4"}, {"dtype", "bf16"}})},
        {"mlp_decode_int8_2", small({{"phase", "decode"}, {"weight-dtype", "int8"}})},
        {"column_training_4", small({{"scheme", "column"}, {"ranks", "4"}})},
        {"column_gather_training_2", small({{"scheme", "column"}, {"gather-output", "on"}})},
        {"column_prefill_2", small({{"scheme", "column"}, {"phase", "prefill"}, {"bias", "off"}})},
        {"row_training_2", small({{"scheme", "row"}, {"algorithm", "tree"}})},
        {"row_whole_input_training_2", small({{"scheme", "row"}, {"input-parallel", "off"}, {"algorithm", "direct"}})},
        {"bug_row_bias_each_rank_4", small({{"scheme", "bug:row-bias-each-rank"}, {"ranks", "4"}})},
        {"bug_all_reduce_columns_4",
         small({{"scheme", "bug:all-reduce-columns"}, {"ranks", "4"}, {"phase", "prefill"}})},
        {"attention_gqa_training_4",
         small({{"scheme", "attention"}, {"ranks", "4"}, {"heads", "4"}, {"kv-heads", "2"}})},
        {"block_sequence_parallel_training_2",
         small({{"scheme", "block"}, {"heads", "2"}, {"sequence", "4"}, {"sequence-parallel", "megatron"}})},
        {"logits_training_2", small({{"scheme", "logits"}, {"vocabulary", "20"}})},
        {"mlp_row_column_training_2", small({{"pair", "row-column"}})},
        {"zero3_training_2", small({{"scheme", "zero3"}, {"micro-batches", "2"}})},
        {"pipeline_training_2", small({{"scheme", "pipeline"}, {"micro-batches", "2"}, {"bias", "off"}})},
    };
    return all;
}

QString pathOf(const char *name)
{
    return QDir(GOLDEN_FOLDER).filePath(QString("%1.txt").arg(name));
}

} // namespace

class TestPlanText : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void plansReadAsRecorded_data();
    void plansReadAsRecorded();
    void everyGoldenFileIsUsed();
    void linesFitATerminal();
    void oneIsSingular();
    void numbersRoundUpToTheNextPrefix();
};

void TestPlanText::plansReadAsRecorded_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < goldens().size(); ++i)
        QTest::newRow(goldens()[i].name) << static_cast<int>(i);
}

/// UPDATE_GOLDEN=1 rewrites the files; read the difference before committing it.
void TestPlanText::plansReadAsRecorded()
{
    QFETCH(int, index);
    const Golden &golden = goldens()[static_cast<std::size_t>(index)];
    const QByteArray text = QByteArray::fromStdString(toText(buildPlan(experimentOf(golden.options))));
    QFile file(pathOf(golden.name));
    if (qEnvironmentVariableIntValue("UPDATE_GOLDEN") == 1) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
        return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), "missing: run with UPDATE_GOLDEN=1 and read what it wrote");
    const QList<QByteArray> expected = file.readAll().split('\n');
    const QList<QByteArray> actual = text.split('\n');
    for (int i = 0; i < std::min(expected.size(), actual.size()); ++i)
        QCOMPARE(QString::fromUtf8(actual[i]), QString::fromUtf8(expected[i]));
    QCOMPARE(actual.size(), expected.size());
}

void TestPlanText::everyGoldenFileIsUsed()
{
    QStringList used;
    for (const Golden &golden : goldens())
        used << QString("%1.txt").arg(golden.name);
    used.sort();
    QCOMPARE(QDir(GOLDEN_FOLDER).entryList({"*.txt"}, QDir::Files, QDir::Name), used);
}

void TestPlanText::linesFitATerminal()
{
    std::vector<Experiment> all;
    for (const int ranks : {1, 2, 64}) {
        for (const Experiment &e : everyCorrectExperiment(ranks))
            all.push_back(e);
    }
    for (const char *bug : {"bug:row-bias-each-rank", "bug:all-reduce-columns"})
        all.push_back(experimentOf({{"scheme", bug}}));
    for (const Experiment &e : all) {
        for (const QString &line : QString::fromStdString(toText(buildPlan(e))).split('\n')) {
            QVERIFY2(line.size() <= 120, qPrintable(line));
            QVERIFY2(!line.endsWith(' '), qPrintable(line));
        }
    }
}

void TestPlanText::oneIsSingular()
{
    const QString one = QString::fromStdString(
        toText(buildPlan(experimentOf({{"batch", "1"}, {"sequence", "1"}, {"ranks", "1"}, {"hidden", "8"}}))));
    QVERIFY2(one.startsWith("Plan: mlp (gelu), training, 1 rank, f32, algorithm library\n"
                            "t = 1 token (1 sequence, 1 token each), h = 8, f = 32. Weights are [in, out].\n"),
             qPrintable(one));
}

void TestPlanText::numbersRoundUpToTheNextPrefix()
{
    const OptionValues product{{"scheme", "column"}, {"bias", "off"}, {"phase", "prefill"}, {"ranks", "1"},
                               {"hidden", "714"},    {"ffn", "700"},  {"batch", "1"},       {"sequence", "1"}};
    // 2·714·700 = 999 600
    const std::string text = toText(buildPlan(experimentOf(product)));
    QVERIFY2(text.find("1.00 MFLOP") != std::string::npos, text.c_str());
}

QTEST_GUILESS_MAIN(TestPlanText)
#include "tst_plan_text.moc"
