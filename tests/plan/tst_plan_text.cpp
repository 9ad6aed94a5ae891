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
    void reasonsHoldInEveryLayout_data();
    void reasonsHoldInEveryLayout();
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

void TestPlanText::reasonsHoldInEveryLayout_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("unsaid");
    const QStringList rows{"pair", "row-row"};
    const QStringList replicas{"scheme", "data-parallel", "layer", "block", "heads", "2", "parallel-block", "on"};
    const QStringList gathered{"scheme", "logits", "vocabulary", "20", "gather-output", "on"};
    QTest::newRow("a sum travels between two row layers") << rows << "and the matching rows of W2"
                                                          << "nothing travels between the two products";
    QTest::newRow("GELU behind a row layer") << rows << "why they are summed first"
                                             << "the first layer is cut by columns";
    QTest::newRow("SwiGLU behind row layers") << (rows + QStringList{"mlp", "swiglu"}) << "why they are summed first"
                                              << "which is why the layers before";
    QTest::newRow("branches of a replica") << replicas << "is the sum of theirs, dXq and dXk"
                                           << "one collective";
    QTest::newRow("side by side in a replica") << replicas << "side by side: what they give"
                                               << "one collective";
    QTest::newRow("micro-batches alone") << QStringList{"micro-batches", "2"} << "mean over 2 micro-batches, so"
                                         << "of 1 replicas";
    QTest::newRow("replicas alone") << QStringList{"scheme", "zero1"} << "mean over 2 replicas, so"
                                    << "1 micro-batches";
    QTest::newRow("gathered logits") << gathered << "Z is whole on every rank, so each computes the same S"
                                     << "computes its part of";
    QTest::newRow("loss of gathered logits") << gathered << "S is whole on every rank, so each computes the same Loss"
                                             << "reduced sums";
    QTest::newRow("joined addends") << QStringList{"scheme", "bug:concat-partials"}
                                    << "Y holds one addend of 2, and joining them adds nothing"
                                    << "all finished";
    QTest::newRow("heads that are cut") << QStringList{"scheme", "bug:unsharded-heads", "heads", "4", "hidden", "32"}
                                        << "Attention over all 4 heads, of each a part of its columns: C."
                                        << "each rank has 2 of 4 heads";
    QTest::newRow("scores of cut heads") << QStringList{"scheme", "bug:unsharded-heads", "heads", "4", "hidden", "32"}
                                         << "P [b, N·a, s, s] [2, 8, 4, 4]"
                                         << "[2, 2, 4, 4]";
    QTest::newRow("one hop") << QStringList{"scheme", "row", "algorithm", "direct"}
                             << "Hops: 1, from each rank to all others at once"
                             << "1 = 1";
}

void TestPlanText::reasonsHoldInEveryLayout()
{
    QFETCH(QStringList, options);
    QFETCH(QString, said);
    QFETCH(QString, unsaid);
    OptionValues values{{"hidden", "8"}, {"batch", "2"}, {"sequence", "4"}};
    for (int i = 0; i + 1 < options.size(); i += 2)
        values[options[i].toStdString()] = options[i + 1].toStdString();
    const QString text = QString::fromStdString(toText(buildPlan(experimentOf(values)))).simplified();
    QVERIFY2(text.contains(said), qPrintable(text));
    QVERIFY2(!text.contains(unsaid), qPrintable(text));
}

QTEST_GUILESS_MAIN(TestPlanText)
#include "tst_plan_text.moc"
