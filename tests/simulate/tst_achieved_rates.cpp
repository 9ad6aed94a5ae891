// SPDX-License-Identifier: MIT
#include "engine/simulate/achieved_rates.h"
#include "engine/simulate/simulate.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

Run predicted(const OptionValues &options, const Hardware &hardware)
{
    const Expected<Experiment> read = readExperiment(options, Unused::Allow);
    if (!read)
        qFatal("%s", english(read.problem()).c_str());
    return simulate(buildPlan(*read, hardware.transport), hardware);
}

Run predicted(const OptionValues &options, const char *preset = "h100-8")
{
    return predicted(options, *findHardware(preset));
}

std::vector<RateRow> ratesOf(const Run &run, const Hardware *own = nullptr)
{
    return achievedRates(run, summarize(run), peaksFor(run, own));
}

const RateRow &find(const std::vector<RateRow> &rows, RateKind kind, Pass pass, bool core = false)
{
    const auto found = std::ranges::find_if(
        rows, [&](const RateRow &row) { return row.kind == kind && row.pass == pass && row.coreAttention == core; });
    if (found == rows.end())
        qFatal("no such row");
    return *found;
}

bool isClose(double a, double b, double relative = 1e-9)
{
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// 32 768 tokens of the mlp with h 8192, f 32768 on eight H100.
const OptionValues kLarge{{"scheme", "mlp"}, {"ranks", "8"},       {"hidden", "8192"},
                          {"batch", "16"},   {"sequence", "2048"}, {"dtype", "bf16"}};
constexpr double kTokens = 16 * 2048;
constexpr double kHidden = 8192;
constexpr double kWidth = 4 * kHidden;

/// `this` machine: two cores with 100 GFLOP/s and 10 GB/s together, links of 2 GB/s with 20 us a hop.
Hardware twoCores()
{
    Hardware own;
    own.name = "this";
    own.title = "this machine: 2 cores";
    own.transport = Transport::Gloo;
    own.sharedCores = own.devices = 2;
    LinkCost link;
    link.alphaSeconds = 20e-6;
    link.busbwGBs = 2;
    link.protocol = "measured";
    own.allReduce = {link};
    link.busbwGBs = 3;
    own.gatherScatter = {link};
    own.peakFlops[DType::F32] = 100e9;
    own.efficiency = 1;
    own.memoryBytesPerSecond = 10e9;
    own.operationOverheadSeconds = 4e-6;
    return own;
}

/// The same run as if ranks on that machine had needed `slower` times as long.
Run asMeasured(const OptionValues &options, double slower, Hardware hardware = twoCores())
{
    Run run = predicted(options, hardware);
    run.source = Source::Measured;
    run.hardware.clear();
    run.machine.host = "2 cores";
    run.machine.devices.clear();
    for (SpanEvent &span : run.spans)
        span.endNs = span.startNs + std::llround(static_cast<double>(span.endNs - span.startNs) * slower);
    return run;
}

Run onGpus(const OptionValues &options, const std::string &card, int gpus)
{
    Run run = predicted(options);
    run.source = Source::Measured;
    run.hardware.clear();
    run.machine.devices.clear();
    for (int rank = 0; rank < run.experiment().ranks(); ++rank)
        run.machine.devices.push_back("rank " + std::to_string(rank) + ": GPU " + std::to_string(rank % gpus) + ", " +
                                      card);
    return run;
}

} // namespace

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

    void sharedCoresShareTheirPeaks()
    {
        const Hardware own = twoCores();
        const Run run = asMeasured({{"scheme", "mlp"}, {"ranks", "2"}, {"hidden", "1024"}}, 1.25);
        const std::vector<RateRow> rows = ratesOf(run, &own);
        const RateRow &products = find(rows, RateKind::MatrixProducts, Pass::Forward);
        QCOMPARE(products.peak->perSecond, 50e9);
        QCOMPARE(products.peak->origin, PeakOrigin::Measured);
        QCOMPARE(english(products.peak->source), std::string("50 GFLOP/s in f32 for each of 2 ranks, their part of "
                                                             "what was measured of this machine: 2 cores"));
        QVERIFY(isClose(*products.share, 0.8, 0.01));
        const RateRow &sum = find(rows, RateKind::Collective, Pass::Forward);
        QCOMPARE(sum.peak->perSecond, 2e9);
        QCOMPARE(sum.peak->origin, PeakOrigin::Measured);
        QVERIFY(english(sum.peak->source).find("the best bus bandwidth measured") != std::string::npos);
    }

    /// Four ranks on two cores: every hop waits for its turn.
    void crowdedCoresHaveSlowerLinks()
    {
        const Hardware own = twoCores();
        const Run run = asMeasured({{"scheme", "row"}, {"ranks", "4"}}, 1);
        QCOMPARE(find(ratesOf(run, &own), RateKind::Collective, Pass::Forward).peak->perSecond, 1e9);
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

    void aRunIsHeldAgainstItsOwnMachineOnly()
    {
        const Hardware own = twoCores();
        Run run = asMeasured({{"scheme", "row"}, {"ranks", "2"}}, 1);
        QCOMPARE(peaksFor(run, &own), &own);
        QVERIFY(!peaksFor(run, nullptr));
        QCOMPARE(whyNoPeaks(run).id, TextId::RatesUnmeasured);
        run.machine.host = "4 cores";
        QVERIFY(!peaksFor(run, &own));
        run.machine.host = "2 cores";
        run.source = Source::Recorded;
        QVERIFY(!peaksFor(run, &own));
        QCOMPARE(whyNoPeaks(run).id, TextId::RatesRecorded);
        for (const RateRow &row : ratesOf(run, &own)) {
            QVERIFY(row.perSecond.has_value());
            QVERIFY(!row.peak && !row.share && row.limit == RateLimit::Unknown);
        }
        // A prediction for this machine, made when it was another.
        Run here = predicted({{"scheme", "row"}, {"ranks", "2"}}, own);
        QCOMPARE(peaksFor(here, &own), &own);
        here.machine.host = "this machine: 4 cores";
        QVERIFY(!peaksFor(here, &own));
        QCOMPARE(whyNoPeaks(here).id, TextId::RatesNoPreset);
    }

    void gpusFindThePresetOfTheirCard()
    {
        QCOMPARE(peaksFor(onGpus(kLarge, "NVIDIA H100 80GB HBM3", 8), nullptr), findHardware("h100-8"));
        // The same chip on a PCIe board has other peaks.
        for (const char *card : {"NVIDIA H100 PCIe", "NVIDIA H200", "NVIDIA A100-SXM4-40GB"}) {
            const Run run = onGpus(kLarge, card, 8);
            QVERIFY(!peaksFor(run, nullptr));
            QCOMPARE(whyNoPeaks(run).id, TextId::RatesUnknownCard);
            QVERIFY(english(whyNoPeaks(run)).find(card) != std::string::npos);
        }
        const Run shared = onGpus(kLarge, "NVIDIA H100 80GB HBM3", 4);
        QVERIFY(!peaksFor(shared, nullptr));
        QCOMPARE(whyNoPeaks(shared).id, TextId::RatesSharedGpu);
    }

    /// GPUs 0 and 1 are joined by NVLink, 2 and 3 too, and both pairs through PCIe.
    void theSlowestPairThatIsUsedIsTheLink()
    {
        Topology topology;
        topology.gpus.resize(4);
        for (int from = 0; from < 4; ++from) {
            for (int to = from + 1; to < 4; ++to) {
                const bool joined = from / 2 == to / 2;
                topology.paths.push_back({from, to, joined ? "NV4" : "SYS", joined ? 100.0 : 31.5});
            }
        }
        OptionValues options{{"scheme", "block"}, {"mesh", "tp=2,dp=2"}};
        Run run = onGpus(options, "NVIDIA A100-SXM4-80GB", 4);
        run.topology = topology;
        for (const RateRow &row : ratesOf(run)) {
            if (row.kind != RateKind::Collective)
                continue;
            QCOMPARE(row.peak->perSecond, row.axis == MeshAxis::Tp ? 100e9 : 31.5e9);
            QCOMPARE(row.peak->origin, PeakOrigin::LinkSpecification);
            const std::string word = row.axis == MeshAxis::Tp ? "NV4" : "SYS";
            QVERIFY(english(row.peak->source).find(word) != std::string::npos);
        }
    }

    void beyondANodeThePortsAreThePeak()
    {
        OptionValues two = kLarge;
        two["ranks"] = "16";
        const RateRow &sum = find(ratesOf(predicted(two)), RateKind::Collective, Pass::Forward);
        // Eight members in a node have a port of 50 GB/s each, and the link inside carries 450.
        QCOMPARE(sum.peak->perSecond, 400e9);
        QCOMPARE(sum.peak->source.id, TextId::PeakPorts);
        QVERIFY(*sum.share < 1);
        // An A100's link carries less than its node's ports together.
        const RateRow &slower = find(ratesOf(predicted(two, "a100-8")), RateKind::Collective, Pass::Forward);
        QCOMPARE(slower.peak->perSecond, 300e9);
        QCOMPARE(slower.peak->source.id, TextId::PeakLink);
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

    void whatIsPredictedSaysWhatItAssumes()
    {
        const Run run = predicted(kLarge);
        const std::string text = english(*rateAssumptions(run, *findHardware("h100-8")));
        QVERIFY(text.find("65 %") != std::string::npos && text.find("367 GB/s") != std::string::npos);
        QVERIFY(!rateAssumptions(asMeasured({{"ranks", "2"}}, 1), twoCores()));
        QVERIFY(isClose(ridgeOf(*findHardware("h100-8"), DType::BF16), 990e12 / 3350e9));
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
