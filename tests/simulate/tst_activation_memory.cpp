// SPDX-License-Identifier: MIT
// What a layer keeps for backward, against Korthikanti 2022, and what a pipeline makes of it.
#include "engine/simulate/memory_model.h"

#include <QtTest>

#include <cmath>

using namespace shardscope;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr std::int64_t kMiB = 1024 * 1024;

Model modelNamed(const char *name)
{
    const Model *model = findModel(name);
    return model != nullptr ? *model : Model{};
}

/// All layers of a model without pipeline, GiB.
QString activations(const Model &model, const MemorySettings &settings)
{
    const auto bytes = static_cast<double>(model.layers * activationBytesPerLayer(model, settings));
    return QString::number(bytes / kGiB, 'f', 2);
}

MemorySettings withTp(int tp)
{
    MemorySettings settings;
    settings.tp = tp;
    return settings;
}

std::int64_t bytesOf(const MemoryEstimate &estimate, MemoryKind kind, MemoryPart part)
{
    std::int64_t bytes = 0;
    for (const MemoryTerm &term : estimate.terms)
        bytes += term.kind == kind && term.part == part ? term.bytes : 0;
    return bytes;
}

} // namespace

class TestActivationMemory : public QObject
{
    Q_OBJECT

private slots:
    /// Korthikanti 2022, table 2, worked for b and s of its table 3, t = 8.
    void activationsOfTheGptForm_data()
    {
        QTest::addColumn<int>("batch");
        QTest::addColumn<QStringList>("all"); // TP, TP+SP, TP+selective, TP+SP+selective, full
        QTest::newRow("gpt3") << 1 << QStringList{"51.75", "32.06", "29.25", "9.56", "4.50"};
        QTest::newRow("22b") << 4 << QStringList{"59.25", "39.56", "29.25", "9.56", "4.50"};
    }

    void activationsOfTheGptForm()
    {
        QFETCH(int, batch);
        QFETCH(QStringList, all);
        const Model model = modelNamed(QTest::currentDataTag());
        MemorySettings settings = withTp(8);
        settings.batch = batch;
        QStringList got;
        for (const Recompute recompute : {Recompute::None, Recompute::Selective}) {
            for (const bool cut : {false, true}) {
                settings.recompute = recompute;
                settings.sequenceParallel = cut;
                got.append(activations(model, settings));
            }
        }
        settings.recompute = Recompute::Full;
        settings.sequenceParallel = false;
        got.append(activations(model, settings));
        QCOMPARE(got, all);
    }

    void activationsOfOneGptLayer()
    {
        const Model model = modelNamed("gpt3");
        MemorySettings settings;
        QCOMPARE(activations(model, settings), QString("256.50")); // sbh(34 + 5as/h), no parallelism
        settings.tp = 8;
        QCOMPARE(activationBytesPerLayer(model, settings), 552 * kMiB);
        settings.sequenceParallel = true;
        settings.recompute = Recompute::Selective;
        QCOMPARE(activationBytesPerLayer(model, settings), 102 * kMiB);
        // Under sequence parallelism what full recomputation keeps of a layer is a shard, too.
        settings.recompute = Recompute::Full;
        QCOMPARE(activationBytesPerLayer(model, settings), std::int64_t{2} * 2048 * 12288 / 8);
    }

    /// 5as/h = 80 and 64, so that selective recomputation saves 70 % and 65 %: Korthikanti 2022, section 5.
    void selectiveSavesAsPublished()
    {
        for (const auto &[name, share] : {std::pair("gpt3", 70.0), std::pair("530b", 65.0)}) {
            const Model model = modelNamed(name);
            MemorySettings settings;
            const auto all = static_cast<double>(activationBytesPerLayer(model, settings));
            settings.recompute = Recompute::Selective;
            const auto rest = static_cast<double>(activationBytesPerLayer(model, settings));
            QCOMPARE(std::round(100 * (all - rest) / all), share);
        }
    }

    /// sb(12h + 4kd + 8f)/t with sequence parallelism, 8h undivided without.
    void activationsOfTheLlamaForm()
    {
        const Model model = modelNamed("llama3-70b");
        const std::int64_t h = model.hidden;
        const std::int64_t kd = model.kvHeads * model.headSize();
        const std::int64_t f = model.ffn;
        MemorySettings settings = withTp(8);
        settings.sequence = 8192;
        QCOMPARE(activationBytesPerLayer(model, settings), 8192 * (8 * h + (4 * h + 4 * kd + 8 * f) / 8));
        settings.sequenceParallel = true;
        QCOMPARE(activationBytesPerLayer(model, settings), 8192 * (12 * h + 4 * kd + 8 * f) / 8);
        settings.recompute = Recompute::Selective; // flash attention recomputes the scores anyhow
        QCOMPARE(activationBytesPerLayer(model, settings), 8192 * (12 * h + 4 * kd + 8 * f) / 8);
    }

    /// Beyond N = k a rank holds one KV head, and the formula that is printed gives the bytes beside it.
    void aSharedKvHeadIsNotDividedByTp()
    {
        const Model model = modelNamed("llama3-70b");
        MemorySettings settings = withTp(16);
        settings.sequence = 8192;
        const std::int64_t inside = (4 * model.hidden + 8 * model.ffn) / 16 + 4 * model.headSize();
        QCOMPARE(activationBytesPerLayer(model, settings), 8192 * (8 * model.hidden + inside));
        QVERIFY(trainingMemory(model, settings).terms[9].formula.find("s·b·(8h + (4h + 8f)/t + 4d) = 80·644 MiB") !=
                std::string::npos);
        settings.sequenceParallel = true;
        QCOMPARE(activationBytesPerLayer(model, settings), 8192 * (8 * model.hidden / 16 + inside));
        QVERIFY(trainingMemory(model, settings).terms[9].formula.find("s·b·((12h + 8f)/t + 4d) = 80·164 MiB") !=
                std::string::npos);
    }

    /// Stage 1 keeps p micro-batches of L/p layers, as many as all layers once (Korthikanti 2022, equation 5).
    void aPipelineKeepsMicroBatches()
    {
        const Model model = modelNamed("gpt3");
        MemorySettings settings = withTp(8);
        const std::int64_t allLayers = 96 * activationBytesPerLayer(model, settings);
        settings.pp = 8;
        const MemoryEstimate first = trainingMemory(model, settings);
        QCOMPARE(first.stage, 0);
        QCOMPARE(first.layers, 12);
        QCOMPARE(bytesOf(first, MemoryKind::Activations, MemoryPart::Layers), allLayers);
        settings.microBatches = 2;
        QCOMPARE(bytesOf(trainingMemory(model, settings), MemoryKind::Activations, MemoryPart::Layers),
                 allLayers / 8 * 2);
    }

    void aPipelineHoldsTheTiedEmbeddingTwice()
    {
        const Model model = modelNamed("gpt3");
        MemorySettings settings;
        settings.pp = 2;
        settings.microBatches = 1;
        // With one micro-batch in flight the last stage has the logits on top.
        const MemoryEstimate last = trainingMemory(model, settings);
        QCOMPARE(last.stage, 1);
        QCOMPARE(bytesOf(last, MemoryKind::Weights, MemoryPart::EmbeddingAndHead), 2 * parametersOf(model).embedding);
    }

    void unevenStages()
    {
        const Model model = modelNamed("llama3-405b");
        MemorySettings settings = withTp(8);
        settings.pp = 16;
        QCOMPARE(trainingMemory(model, settings).layers, 8); // 126 = 14·8 + 2·7
    }
};

QTEST_GUILESS_MAIN(TestActivationMemory)
#include "tst_activation_memory.moc"
