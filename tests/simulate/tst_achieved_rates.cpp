// SPDX-License-Identifier: MIT
#include "tests/simulate/rate_runs.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace shardscope;

class TestAchievedRates : public QObject
{
    Q_OBJECT

private slots:
    void productsOfAnMlpByHand()
    {
        const std::vector<RateRow> rows = ratesOf(predicted(kLarge));
        const RateRow &forward = find(rows, RateKind::MatrixProducts, Pass::Forward);
        QCOMPARE(forward.count, 2);
        QCOMPARE(forward.flops, 2 * 2 * kTokens * kHidden * kWidth / 8);
        QCOMPARE(find(rows, RateKind::MatrixProducts, Pass::Backward).flops, 2 * forward.flops);
        const RatePart &first = forward.parts.front();
        QCOMPARE(QString::fromStdString(first.label), QString("Z = X·W1"));
        QCOMPARE(first.rows, std::int64_t{32768});
        QCOMPARE(first.inner, std::int64_t{8192});
        QCOMPARE(first.columns, std::int64_t{4096});
        QCOMPARE(first.flops, 2.0 * 32768 * 8192 * 4096);
        // X, W1 and Z in two bytes an element.
        QCOMPARE(first.bytes, 2.0 * (32768.0 * 8192 + 8192.0 * 4096 + 32768.0 * 4096));
    }

    /// What the prediction puts in comes out again: its efficiency, the memory's bandwidth, the protocol's busbw.
    void predictedSharesAreThePresets()
    {
        for (const char *preset : {"a100-8", "h100-8", "b200-8", "pcie5-8"}) {
            const Hardware &hardware = *findHardware(preset);
            const std::vector<RateRow> rows = ratesOf(predicted(kLarge, preset));
            const RateRow &products = find(rows, RateKind::MatrixProducts, Pass::Forward);
            QCOMPARE(products.peak->perSecond, hardware.peakFlops.at(DType::BF16));
            QCOMPARE(products.peak->origin, PeakOrigin::DataSheet);
            QVERIFY(isClose(*products.share, hardware.efficiency, 0.01));
            QVERIFY(*products.share < hardware.efficiency); // starts take time
            QCOMPARE(products.limit, RateLimit::Peak);
            const RateRow &memory = find(rows, RateKind::MemoryBound, Pass::Forward);
            QVERIFY(isClose(*memory.share, 1, 0.05) && *memory.share < 1);
            QCOMPARE(memory.peak->perSecond, hardware.memoryBytesPerSecond);
            const RateRow &sum = find(rows, RateKind::Collective, Pass::Forward);
            QCOMPARE(sum.busFactor, 2.0 * 7 / 8);
            QCOMPARE(sum.payloadBytes, kTokens * kHidden * 2);
            QCOMPARE(sum.peak->perSecond, hardware.link.GBps * 1e9);
            QCOMPARE(sum.peak->origin, PeakOrigin::LinkSpecification);
        }
    }

    /// 512 MiB over a ring of eight H100: 8.4 us + 14 hops of 3.4 us + 2·7/8·S at 367 GB/s.
    void busBandwidthByHand()
    {
        const std::vector<RateRow> rows = ratesOf(predicted(kLarge));
        const RateRow &sum = find(rows, RateKind::Collective, Pass::Forward);
        const double bytes = kTokens * kHidden * 2;
        const double seconds = 8.4e-6 + 14 * 3.4e-6 + 1.75 * bytes / 367e9;
        QVERIFY(isClose(*sum.medianNs, seconds * 1e9, 1e-6));
        QVERIFY(isClose(*sum.perSecond, 1.75 * bytes / seconds, 1e-6));
        QVERIFY(isClose(*sum.share, 1.75 * bytes / seconds / 450e9, 1e-6));
        QVERIFY(isClose(*sum.share, 367.0 / 450, 0.03));
        QVERIFY(!sum.note);
        QCOMPARE(english(sum.peak->source), std::string("450 GB/s of NVLink 4, one direction, by its specification"));
    }

    /// The switch adds: 480 GB/s of bus bandwidth on a link of 450 is no error.
    void theSwitchMayExceedTheLink()
    {
        const std::vector<RateRow> rows = ratesOf(predicted(kLarge, "h100-8-nvls"));
        const RateRow &sum = find(rows, RateKind::Collective, Pass::Forward);
        QVERIFY(*sum.share > 1.02 && *sum.share < 480.0 / 450);
        QVERIFY(sum.note && sum.note->id == TextId::RateOverSwitch);
        QVERIFY(english(*sum.note).find("1.75 times") != std::string::npos);
        // A library that tells which way it went is believed.
        const Run run = predicted(kLarge, "h100-8-nvls");
        RunSummary summary = summarize(run);
        for (const auto &[algorithm, note] :
             {std::pair("NVLS", TextId::RateOverSwitch), std::pair("RING", TextId::RateOverPeak)}) {
            for (CollectiveSummary &collective : summary.collectives)
                collective.algorithm = algorithm;
            const std::vector<RateRow> told = achievedRates(run, summary, peaksFor(run, nullptr));
            QCOMPARE(find(told, RateKind::Collective, Pass::Forward).note->id, note);
        }
    }

    /// A token of each of four sequences: eight ranks' products start, read their weights, and hardly compute.
    void decodeIsLimitedByMemoryAndLatency()
    {
        OptionValues decode = kLarge;
        decode["phase"] = "decode";
        decode["batch"] = "4";
        const std::vector<RateRow> rows = ratesOf(predicted(decode));
        const RateRow &products = find(rows, RateKind::MatrixProducts, Pass::Forward);
        QCOMPARE(products.limit, RateLimit::Memory);
        QVERIFY(*products.share < 0.02);
        QVERIFY(products.note && products.note->id == TextId::RateMemory);
        // 2·4·h·f/8 twice over weights of h·f/8 in two bytes, twice, and some activations: nearly 4 FLOP a byte.
        QVERIFY(isClose(products.flops / products.bytes, 4, 0.01));
        const RateRow &sum = find(rows, RateKind::Collective, Pass::Forward);
        QCOMPARE(sum.limit, RateLimit::Latency);
        QVERIFY(isClose(sum.latencyNs, 6600 + 14 * 600, 1e-9));
        QVERIFY(sum.note && sum.note->id == TextId::RateLatency);
        QVERIFY(english(*sum.note).starts_with("limited by latency: 15 us of start, "));
        QCOMPARE(find(rows, RateKind::MemoryBound, Pass::Forward).limit, RateLimit::Latency);
    }

    void coreAttentionStandsAlone()
    {
        const std::vector<RateRow> rows = ratesOf(predicted({{"scheme", "block"},
                                                             {"ranks", "4"},
                                                             {"hidden", "4096"},
                                                             {"sequence", "1024"},
                                                             {"dtype", "bf16"},
                                                             {"layers", "2"}}));
        const RateRow &core = find(rows, RateKind::MemoryBound, Pass::Forward, true);
        QCOMPARE(core.count, 2);
        QCOMPARE(core.parts.size(), std::size_t{1});
        QCOMPARE(core.parts.front().count, 2);
        // Scores go through memory four times (kernel_work.h), and Q, K, V and C once.
        const double heads = 4096.0 / 64 / 4;
        const double scores = 4 * heads * 1024 * 1024;
        const double matrices = 4 * (4.0 * 1024 * 4096 / 4);
        QCOMPARE(core.parts.front().bytes, 2 * (4 * scores + matrices));
        // Layers repeat the same product.
        for (const RatePart &part : find(rows, RateKind::MatrixProducts, Pass::Forward).parts)
            QCOMPARE(part.count, 2);
    }

    /// Gloo sends sums of bf16 in f32: the link carries twice the tensor's bytes.
    void payloadIsWhatTravels()
    {
        const Hardware own = twoCores();
        const Run run = asMeasured({{"scheme", "row"}, {"ranks", "2"}, {"dtype", "bf16"}}, 1);
        const RunSummary summary = summarize(run);
        const RateRow &sum = find(ratesOf(run, &own), RateKind::Collective, Pass::Forward);
        QCOMPARE(sum.payloadBytes, 2.0 * static_cast<double>(summary.collectives.front().payloadBytes));
        QVERIFY(sum.share && *sum.share <= 1);
    }

    void whatExceedsAMeasuredPeakIsExplained()
    {
        const Hardware own = twoCores();
        const Run run = asMeasured({{"scheme", "mlp"}, {"ranks", "2"}, {"hidden", "2048"}}, 0.5);
        for (const RateRow &row : ratesOf(run, &own)) {
            if (row.share && *row.share > 1)
                QVERIFY(row.note &&
                        (row.note->id == TextId::RateOverMeasured || row.note->id == TextId::RateOverCache));
        }
        QVERIFY(*find(ratesOf(run, &own), RateKind::MatrixProducts, Pass::Forward).share > 1);
    }

    void messagesHaveNoRate()
    {
        const std::vector<RateRow> rows =
            ratesOf(predicted({{"scheme", "pipeline"}, {"ranks", "2"}, {"layers", "2"}, {"micro-batches", "2"}}));
        const RateRow &message = find(rows, RateKind::Collective, Pass::Forward);
        QCOMPARE(message.op, std::string("send_recv"));
        QVERIFY(!message.perSecond && !message.share);
        QVERIFY(message.note && message.note->id == TextId::RateNoTransfer);
    }

    void withoutTimedStepsThereIsWorkOnly()
    {
        Run run = asMeasured({{"scheme", "mlp"}, {"ranks", "2"}}, 1);
        run.iterations.clear();
        for (const RateRow &row : ratesOf(run, nullptr)) {
            QVERIFY(!row.medianNs && !row.perSecond && !row.share);
            QVERIFY(row.kind == RateKind::Collective ? row.bytes > 0 : row.flops + row.bytes > 0);
        }
    }

    void ratesAreReadable()
    {
        QCOMPARE(formatFlopRate(644.6e12), std::string("645 TFLOP/s"));
        QCOMPARE(formatFlopRate(999.6e9), std::string("1 TFLOP/s"));
        QCOMPARE(formatByteRate(3.35e12), std::string("3.35 TB/s"));
        QCOMPARE(formatByteRate(820), std::string("820 B/s"));
    }

    /// Whatever runs wherever: work is the plan's, no share without a peak, none above one without a reason, and of a
    /// prediction none above what its model begins with.
    void everyPlanKeepsTheRules()
    {
        const auto property = [] {
            const auto pick = [](std::vector<std::string> words) { return *rc::gen::elementOf(std::move(words)); };
            OptionValues options{{"scheme", pick({"row", "column", "mlp", "attention", "block", "embedding", "logits",
                                                  "data-parallel", "zero1", "zero2", "zero3", "pipeline"})},
                                 {"ranks", pick({"1", "2", "4", "8"})},
                                 {"phase", pick({"training", "prefill", "decode"})},
                                 {"dtype", pick({"f32", "bf16"})},
                                 {"hidden", pick({"512", "2048"})},
                                 {"algorithm", pick({"library", "ring", "direct"})},
                                 {"batch", "8"},
                                 {"layers", "8"}};
            const Expected<Experiment> read = readExperiment(options, Unused::Allow);
            if (!read)
                return;
            const Hardware own = twoCores();
            const bool here = *rc::gen::arbitrary<bool>();
            const std::string preset = pick({"a100-8", "h100-8", "h100-8-nvls", "b200-8", "pcie5-8"});
            const Hardware &hardware = here ? own : *findHardware(preset);
            const Run run = simulate(buildPlan(*read, hardware.transport), hardware);
            const std::vector<RateRow> rows = ratesOf(run, &own);
            double flops = 0;
            for (const RateRow &row : rows) {
                RC_ASSERT(!row.share || (row.peak && row.perSecond));
                RC_ASSERT(!row.share || *row.share <= 1 || row.note);
                RC_ASSERT(!row.peak || !english(row.peak->source).empty());
                RC_ASSERT(row.limit != RateLimit::Latency || !row.share || row.note);
                if (row.kind == RateKind::MatrixProducts) {
                    flops += row.flops;
                    RC_ASSERT(*row.share <= hardware.efficiency + 1e-6);
                    for (const RatePart &part : row.parts)
                        RC_ASSERT(part.flops == 2.0 * static_cast<double>(part.rows) * static_cast<double>(part.inner) *
                                                    static_cast<double>(part.columns));
                } else if (row.kind == RateKind::MemoryBound) {
                    RC_ASSERT(*row.share <= 1);
                } else if (row.share && !row.note) {
                    RC_ASSERT(*row.share <= 1);
                }
            }
            if (run.experiment().extent(MeshAxis::Pp) == 1) {
                double planned = 0;
                for (const Step &step : run.plan.steps)
                    planned += step.kind == StepKind::MatMul ? static_cast<double>(step.flops) : 0;
                RC_ASSERT(isClose(flops, planned));
            }
        };
        QVERIFY(rc::check("rates keep the rules", property));
    }
};

QTEST_GUILESS_MAIN(TestAchievedRates)
#include "tst_achieved_rates.moc"
