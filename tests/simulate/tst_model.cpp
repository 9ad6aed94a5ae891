// SPDX-License-Identifier: MIT
// Shapes of models: the presets' exact parameter counts, reading of files, which TP they allow.
#include "engine/simulate/model.h"

#include <QtTest>

using namespace shardscope;

namespace {

QByteArray fileOf(const char *name)
{
    QFile file(QStringLiteral(MODELS_FOLDER "/") + name + ".json");
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestModel : public QObject
{
    Q_OBJECT

private slots:
    void exactParameterCounts_data()
    {
        QTest::addColumn<qint64>("parameters");
        QTest::newRow("gpt3") << qint64{174'615'846'912};
        QTest::newRow("175b") << qint64{174'615'846'912};
        QTest::newRow("22b") << qint64{22'074'273'792};
        QTest::newRow("530b") << qint64{529'600'819'200};
        QTest::newRow("1t") << qint64{1'008'038'758'400};
        QTest::newRow("llama2-70b") << qint64{68'976'648'192};
        QTest::newRow("llama3-8b") << qint64{8'030'261'248};
        QTest::newRow("llama3-70b") << qint64{70'553'706'496};
        QTest::newRow("llama3-405b") << qint64{405'853'388'800};
    }

    void exactParameterCounts()
    {
        QFETCH(qint64, parameters);
        const Model *model = findModel(QTest::currentDataTag());
        QVERIFY(model != nullptr);
        QCOMPARE(qint64{parametersOf(*model).total}, parameters);
        QVERIFY(model->sources.size() >= 2);
    }

    /// 12h² + 13h a layer: Narayanan 2021, equation 2.
    void aGptLayer()
    {
        const Model &gpt = *findModel("gpt3");
        const ParameterCounts counts = parametersOf(gpt);
        const std::int64_t h = gpt.hidden;
        QCOMPARE(qint64{counts.layerSharded + counts.layerReplicated}, qint64{12 * h * h + 13 * h});
        QCOMPARE(qint64{counts.layerReplicated}, qint64{6 * h}); // two norms of 2h, two row biases
        QCOMPARE(qint64{counts.head}, qint64{0});
    }

    void presetsAreListedBySize()
    {
        const std::vector<Model> &presets = modelPresets();
        QVERIFY(presets.size() >= 9);
        for (std::size_t i = 1; i < presets.size(); ++i)
            QVERIFY(parametersOf(presets[i - 1]).total <= parametersOf(presets[i]).total);
        QVERIFY(findModel("GPT3") == nullptr);
    }

    void brokenFilesNameTheKey_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QByteArray>("named");
        const auto row = [](const char *tag, const char *from, const char *to, const char *named) {
            QTest::newRow(tag) << QByteArray(from) << QByteArray(to) << QByteArray(named);
        };
        row("missing", "\"layers\"", "\"floors\"", "layers: missing");
        row("no number", "\"layers\": 80", "\"layers\": \"many\"", "layers");
        row("half a head", "\"heads\": 64", "\"heads\": 63.5", "heads");
        row("heads do not divide h", "\"heads\": 64", "\"heads\": 63", "heads: must divide hidden");
        row("KV heads do not divide heads", "\"kv_heads\": 8", "\"kv_heads\": 7", "kv_heads: must divide heads");
        row("no such MLP", "\"swiglu\"", "\"relu\"", "mlp: allowed: gelu, swiglu");
        row("no such norm", "\"rmsnorm\"", "\"batchnorm\"", "norm: allowed: layernorm, rmsnorm");
        row("no truth", "\"biases\": false", "\"biases\": 0", "biases: must be true or false");
        row("sources", "\"sources\": [", "\"sources\": [7, ", "sources");
        row("schema", "\"schema\": 1", "\"schema\": 2", "schema");
    }

    void brokenFilesNameTheKey()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QByteArray, named);
        QByteArray text = fileOf("llama3-70b");
        QVERIFY(parseModel(text.toStdString()).ok());
        QVERIFY(text.contains(from));
        const Expected<Model> read = parseModel(text.replace(from, to).toStdString());
        QVERIFY(!read.ok());
        const std::string problem = english(read.problem());
        QVERIFY2(problem.find(named.toStdString()) != std::string::npos, problem.c_str());
    }

    void noJsonAtAll()
    {
        QVERIFY(!parseModel("").ok());
        QVERIFY(!parseModel("{").ok());
        QVERIFY(!parseModel("[]").ok());
    }

    void tensorParallelSizesOfAModel()
    {
        // 8 KV heads: up to 8 each rank has its own, beyond groups of ranks share one.
        QCOMPARE(tensorParallelSizes(*findModel("llama3-70b")), (std::vector<int>{1, 2, 4, 8, 16, 32, 64}));
        QCOMPARE(tensorParallelSizes(*findModel("gpt3")), (std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96}));
    }

    void whatIsNotAllowedNamesTheNearest()
    {
        const Model &gpt = *findModel("gpt3");
        QVERIFY(!tensorParallelProblem(gpt, 8));
        QCOMPARE(english(*tensorParallelProblem(gpt, 7)),
                 "--tp 7: 96 attention heads cannot be shared evenly by 7 ranks; allowed: --tp 6 or 8");
        QCOMPARE(english(*tensorParallelProblem(gpt, 500)),
                 "--tp 500: 96 attention heads cannot be shared evenly by 500 ranks; allowed: --tp 96");
        Model uneven = gpt;
        uneven.kvHeads = 6; // 4 neither divides 6 nor is divided by it
        QCOMPARE(english(*tensorParallelProblem(uneven, 4)),
                 "--tp 4: 6 KV heads cannot be shared evenly by 4 ranks, nor copied to equal groups of them; "
                 "allowed: --tp 3 or 6");
        uneven = gpt;
        uneven.ffn = 49'153;
        QVERIFY(english(*tensorParallelProblem(uneven, 2)).find("f = 49153") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestModel)
#include "tst_model.moc"
