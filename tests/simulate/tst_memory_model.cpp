// SPDX-License-Identifier: MIT
// Memory per GPU against the published figures and the reference table of the design, to the digits given there.
#include "engine/record/format.h"
#include "engine/simulate/memory_model.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

/// "366.4": GiB with that many decimals.
QString gib(std::int64_t bytes, int decimals)
{
    return QString::number(static_cast<double>(bytes) / kGiB, 'f', decimals);
}

Model modelNamed(const char *name)
{
    const Model *model = findModel(name);
    return model != nullptr ? *model : Model{};
}

MemorySettings withTp(int tp)
{
    MemorySettings settings;
    settings.tp = tp;
    return settings;
}

const MemoryTerm &termOf(const MemoryEstimate &estimate, MemoryKind kind, MemoryPart part)
{
    const auto found = std::ranges::find_if(
        estimate.terms, [&](const MemoryTerm &term) { return term.kind == kind && term.part == part; });
    Q_ASSERT(found != estimate.terms.end());
    return *found;
}

} // namespace

class TestMemoryModel : public QObject
{
    Q_OBJECT

private slots:
    /// The design's table 4.1: bf16 weights, all state on one GPU, then TP 8 with 18 and 16 bytes and with the
    /// optimizer over D = 8, each exact and with everything divided by 8.
    void trainingState_data()
    {
        QTest::addColumn<QString>("expected");
        QTest::newRow("gpt3") << "325.2 2927 366.4 365.9 325.7 325.2 152.7 152.5";
        QTest::newRow("llama2-70b") << "128.5 1156 144.6 144.5 128.5 128.5 60.2 60.2";
        QTest::newRow("llama3-70b") << "131.4 1183 147.9 147.8 131.4 131.4 61.6 61.6";
        QTest::newRow("llama3-8b") << "15.0 135 16.8 16.8 15.0 15.0 7.0 7.0";
        QTest::newRow("llama3-405b") << "756.0 6804 850.5 850.5 756.0 756.0 354.4 354.4";
    }

    void trainingState()
    {
        QFETCH(QString, expected);
        const Model model = modelNamed(QTest::currentDataTag());
        MemorySettings settings;
        const MemoryEstimate one = trainingMemory(model, settings);
        QCOMPARE(one.stateBytes(), one.stateDividedByTpBytes());
        QStringList got{gib(one.bytes(MemoryKind::Weights), 1), gib(one.stateBytes(), 0)};
        const auto add = [&] {
            const MemoryEstimate estimate = trainingMemory(model, settings);
            got << gib(estimate.stateBytes(), 1) << gib(estimate.stateDividedByTpBytes(), 1);
        };
        settings.tp = 8;
        add();
        settings.bytesPerParameter = 16;
        add();
        settings.bytesPerParameter = 18;
        settings.dp = 8;
        settings.zero = 1;
        add();
        QCOMPARE(got.join(' '), expected);
    }

    /// As everywhere: the fullest stage is often the first, and that is stage 0.
    void stagesAreCountedFromZero()
    {
        MemorySettings settings;
        settings.pp = 32;
        const MemoryEstimate estimate = trainingMemory(modelNamed("gpt3"), settings);
        QCOMPARE(estimate.stage, 0);
        const std::string note = english(estimate.notes.front());
        QVERIFY2(note.find("stage 0 counted from 0") != std::string::npos, note.c_str());
    }

    /// A layer of Llama 3 70B has 8192·(2·8192 + 2·1024 + 3·28672) + 2·8192 parameters, 2 bytes each.
    void whatZero3GathersIsNamed()
    {
        MemorySettings settings;
        settings.dp = 64;
        settings.zero = 3;
        const auto says = [&](const char *words) {
            const auto notes = trainingMemory(modelNamed("llama3-70b"), settings).notes;
            return std::ranges::any_of(
                notes, [&](const Text &note) { return english(note).find(words) != std::string::npos; });
        };
        QVERIFY(says("1.59 GiB of weights that no line counts"));
        QVERIFY(!says("recomputed"));
        settings.recompute = Recompute::Full;
        QVERIFY(says("being recomputed"));
    }

    void oneGpuOfTheSmallLlama()
    {
        const Model model = modelNamed("llama3-8b");
        QCOMPARE(gib(trainingMemory(model, {}).stateBytes(), 1), QString("134.6"));
    }

    /// 18 = 2 + 4 + 12; the distributed optimizer has 6 + 12/D; ZeRO-3 has 18/D.
    void zeroCutsOneKindAfterAnother_data()
    {
        QTest::addColumn<int>("zero");
        QTest::addColumn<double>("bytes");
        QTest::newRow("nothing") << 0 << 18.0;
        QTest::newRow("optimizer") << 1 << 6 + 12.0 / 4;
        QTest::newRow("and gradients") << 2 << 2 + 16.0 / 4;
        QTest::newRow("and weights") << 3 << 18.0 / 4;
    }

    void zeroCutsOneKindAfterAnother()
    {
        QFETCH(int, zero);
        QFETCH(double, bytes);
        const Model model = modelNamed("llama3-8b");
        MemorySettings settings;
        settings.dp = 4;
        settings.zero = zero;
        const auto parameters = static_cast<double>(parametersOf(model).total);
        QCOMPARE(static_cast<double>(trainingMemory(model, settings).stateBytes()), parameters * bytes);
    }

    void bytesOfAParameter()
    {
        for (const int bytes : {12, 16, 18}) {
            const std::optional<ParameterBytes> parts = parameterBytes(bytes);
            QVERIFY(parts.has_value());
            QCOMPARE(parts->weight + parts->gradient + parts->optimizer, bytes);
        }
        QVERIFY(!parameterBytes(17));
    }

    /// The design's table 4.4: GiB, of the cache with TP 8 MiB.
    void inference_data()
    {
        QTest::addColumn<QString>("perToken");
        QTest::addColumn<QString>("cache");
        QTest::addColumn<QString>("cacheOf8");
        QTest::addColumn<QString>("weightsOf8");
        QTest::newRow("gpt3") << "4.5 MiB"
                              << "18.000"
                              << "2304"
                              << "40.7";
        QTest::newRow("llama2-70b") << "320 KiB"
                                    << "1.250"
                                    << "160"
                                    << "16.1";
        QTest::newRow("llama3-70b") << "320 KiB"
                                    << "1.250"
                                    << "160"
                                    << "16.4";
        QTest::newRow("llama3-8b") << "128 KiB"
                                   << "0.500"
                                   << "64"
                                   << "1.9";
        QTest::newRow("llama3-405b") << "504 KiB"
                                     << "1.969"
                                     << "252"
                                     << "94.5";
    }

    void inference()
    {
        QFETCH(QString, perToken);
        QFETCH(QString, cache);
        QFETCH(QString, cacheOf8);
        QFETCH(QString, weightsOf8);
        const Model model = modelNamed(QTest::currentDataTag());
        QCOMPARE(QString::fromStdString(formatBinaryBytes(kvBytesPerToken(model, 1))), perToken);
        MemorySettings settings;
        settings.sequence = 4096;
        QCOMPARE(gib(inferenceMemory(model, settings).bytes(MemoryKind::KvCache), 3), cache);
        settings.tp = 8;
        const MemoryEstimate estimate = inferenceMemory(model, settings);
        QCOMPARE(QString::number(estimate.bytes(MemoryKind::KvCache) >> 20), cacheOf8);
        QCOMPARE(gib(estimate.bytes(MemoryKind::Weights), 1), weightsOf8);
        QCOMPARE(estimate.bytes(MemoryKind::Optimizer), std::int64_t{0});
    }

    void theCacheStopsShrinkingAtTheKvHeads()
    {
        const Model model = modelNamed("llama3-70b");
        QCOMPARE(kvBytesPerToken(model, 16), kvBytesPerToken(model, 8));
        QCOMPARE(kvBytesPerToken(model, 8) * 8, kvBytesPerToken(model, 1));
        // Nor do the key and value weights: two ranks hold the same head.
        const ParameterCounts counts = parametersOf(model);
        const MemoryEstimate estimate = inferenceMemory(model, withTp(16));
        const std::int64_t perLayer = (counts.layerSharded - counts.layerKeyValue) / 16 + counts.layerKeyValue / 8;
        QCOMPARE(termOf(estimate, MemoryKind::Weights, MemoryPart::Layers).bytes, 2 * model.layers * perLayer);
        QVERIFY(estimate.bytes(MemoryKind::KvCache) >
                termOf(estimate, MemoryKind::KvCache, MemoryPart::Layers).dividedByTpBytes);
    }

    /// jax-ml/scaling-book, inference.md: Llama-2-13B, 8192 tokens, 6.7 GB.
    void theScalingBooksCache()
    {
        Model model = modelNamed("llama2-70b");
        model.layers = 40;
        model.hidden = 5120;
        model.heads = model.kvHeads = 40;
        MemorySettings settings;
        settings.sequence = 8192;
        const auto bytes = static_cast<double>(inferenceMemory(model, settings).bytes(MemoryKind::KvCache));
        QCOMPARE(QString::number(bytes / 1e9, 'f', 1), QString("6.7"));
    }

    void weightsInEightBits()
    {
        const Model model = modelNamed("llama3-70b");
        MemorySettings settings;
        const MemoryEstimate wide = inferenceMemory(model, settings);
        settings.weights = WeightFormat::Fp8;
        const MemoryEstimate narrow = inferenceMemory(model, settings);
        QCOMPARE(termOf(narrow, MemoryKind::Weights, MemoryPart::Layers).bytes * 2,
                 termOf(wide, MemoryKind::Weights, MemoryPart::Layers).bytes);
        QCOMPARE(termOf(narrow, MemoryKind::Weights, MemoryPart::EmbeddingAndHead).bytes,
                 termOf(wide, MemoryKind::Weights, MemoryPart::EmbeddingAndHead).bytes);
    }

    void whatCannotBeIsRefused_data()
    {
        QTest::addColumn<QString>("problem");
        QTest::newRow("tp") << "--tp 7: 96 attention heads";
        QTest::newRow("pp") << "--pp 97: 96 layers cannot fill 97 stages; allowed: --pp 1 to 96";
        QTest::newRow("zero") << "--zero 1: with --dp 1";
        QTest::newRow("sequence parallel alone") << "--sequence-parallel on: with --tp 1";
        QTest::newRow("sequence") << "--sequence 2047: 8 ranks";
        QTest::newRow("micro-batches") << "--micro-batches 4: with --pp 1";
        QTest::newRow("tokens") << "allowed: --batch 16384, or --sequence 2047";
    }

    void whatCannotBeIsRefused()
    {
        QFETCH(QString, problem);
        const QByteArray tag = QTest::currentDataTag();
        MemorySettings settings = withTp(tag == "tp" ? 7 : tag == "sequence" ? 8 : 1);
        settings.pp = tag == "pp" ? 97 : 1;
        settings.zero = tag == "zero" ? 1 : 0;
        settings.sequenceParallel = tag.startsWith("sequence");
        settings.sequence = tag == "sequence" ? 2047 : 2048;
        settings.batch = tag == "tokens" ? 16'385 : 1;
        if (tag == "micro-batches")
            settings.microBatches = 4;
        const std::optional<Text> found = problemOf(modelNamed("gpt3"), settings);
        QVERIFY(found.has_value());
        QVERIFY2(english(*found).find(problem.toStdString()) != std::string::npos, english(*found).c_str());
    }

    /// Cutting more never needs more, terms add up, and every term says what it is and where that comes from.
    void propertiesOfEveryLayout()
    {
        const bool holds = rc::check("more of TP, SP, ZeRO or recomputation never needs more memory", [] {
            const Model model = *rc::gen::elementOf(modelPresets());
            MemorySettings settings;
            settings.tp = *rc::gen::elementOf(tensorParallelSizes(model));
            settings.pp = *rc::gen::inRange(1, model.layers + 1);
            settings.dp = *rc::gen::inRange(2, 100);
            settings.zero = *rc::gen::inRange(0, 4);
            settings.bytesPerParameter = *rc::gen::element(12, 16, 18);
            settings.sequence = settings.tp * *rc::gen::inRange(1, 200);
            settings.batch = *rc::gen::inRange(1, 8);
            settings.recompute = *rc::gen::element(Recompute::None, Recompute::Selective, Recompute::Full);
            const MemoryEstimate estimate = trainingMemory(model, settings);
            std::int64_t sum = 0;
            for (const MemoryTerm &term : estimate.terms) {
                RC_ASSERT(term.bytes > 0);
                RC_ASSERT(!term.formula.empty());
                RC_ASSERT(!english(term.name).empty());
                RC_ASSERT(!english(term.source).empty());
                RC_ASSERT(english(term.name).find('{') == std::string::npos);
                sum += term.bytes;
            }
            RC_ASSERT(sum == estimate.totalBytes());
            RC_ASSERT(sum == estimate.stateBytes() + estimate.bytes(MemoryKind::Activations));
            RC_ASSERT(estimate.stateBytes() >= estimate.stateDividedByTpBytes());
            for (int kind = 0; kind < 3; ++kind) {
                MemorySettings less = settings;
                if (kind == 0)
                    less.zero = std::min(3, less.zero + 1);
                else if (kind == 1)
                    less.recompute = Recompute::Full;
                else
                    less.sequenceParallel = less.tp > 1;
                RC_ASSERT(trainingMemory(model, less).totalBytes() <= estimate.totalBytes());
            }
        });
        QVERIFY(holds);
    }
};

QTEST_GUILESS_MAIN(TestMemoryModel)
#include "tst_memory_model.moc"
