// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"
#include "engine/plan/traffic.h"
#include "engine/record/statistics.h"
#include "engine/simulate/simulate.h"

#include <QtTest>
#include <rapidcheck.h>

#include <set>

using namespace shardscope;

namespace {

Experiment experiment(OptionValues options)
{
    const Expected<Experiment> read = readExperiment(options);
    if (!read)
        throw std::logic_error(english(read.problem()));
    return *read;
}

Run predicted(OptionValues options, const char *preset)
{
    const Hardware &hardware = *findHardware(preset);
    return simulate(buildPlan(experiment(std::move(options)), hardware.transport), hardware);
}

bool noteContains(const Run &run, const std::string &words)
{
    return std::ranges::any_of(run.machine.notes,
                               [&](const std::string &note) { return note.find(words) != std::string::npos; });
}

} // namespace

class TestSimulate : public QObject
{
    Q_OBJECT

private slots:
    /// The plan turns them into bf16 first, so that is what is predicted; a reader must know.
    void int8WeightsAreNotPredictedAsAGpuWouldReadThem()
    {
        const OptionValues decode{{"scheme", "mlp"}, {"phase", "decode"}, {"ranks", "8"}, {"dtype", "bf16"}};
        OptionValues int8 = decode;
        int8["weight-dtype"] = "int8";
        QVERIFY(noteContains(predicted(int8, "h100-8"), "int8 weights become bf16 one at a time"));
        QVERIFY(!noteContains(predicted(decode, "h100-8"), "int8"));
        QVERIFY(*summarize(predicted(int8, "h100-8")).step.computeNs >
                *summarize(predicted(decode, "h100-8")).step.computeNs);
    }

    /// The lecture's example: h = 8192, 4096 tokens, bf16 on 8 x H100.
    void theContractsPrediction()
    {
        const Run run = predicted(
            {{"ranks", "8"}, {"hidden", "8192"}, {"batch", "1"}, {"sequence", "4096"}, {"dtype", "bf16"}}, "h100-8");
        QCOMPARE(run.source, Source::Predicted);
        QCOMPARE(run.hardware, std::string("h100-8"));
        QVERIFY(run.checks.empty());
        const RunSummary summary = summarize(run);
        QVERIFY(summary.observedAsPlanned);
        QCOMPARE(summary.collectives.size(), std::size_t{2});
        for (const CollectiveSummary &c : summary.collectives) {
            QCOMPARE(c.payloadBytes, std::int64_t{67108864});
            QCOMPARE(c.sentBytesPerRank, std::int64_t{117440512});
            QCOMPARE(c.wireDtype, std::string("bf16"));
            QVERIFY(c.duration.has_value());
            QVERIFY(std::abs(c.duration->median - 376e3) < 1e3); // 320 us of transfer, 56 us of latency
        }
    }

    /// A stage adds its weights' gradients up after it has sent its gradient on, which fills part of the bubble: where
    /// that takes long beside the products (few tokens, large weights), the bubble is below (p-1)/(m+p-1).
    void theBubbleBelowTheFormulaIsExplained()
    {
        const OptionValues wide{
            {"scheme", "pipeline"}, {"ranks", "4"}, {"micro-batches", "8"}, {"hidden", "4096"}, {"dtype", "bf16"}};
        const RunSummary few = summarize(predicted(wide, "h100-8"));
        QVERIFY(few.pipeline.has_value());
        QVERIFY(*few.step.bubbleShare < 0.21);                                        // (p-1)/(m+p-1) = 0.273
        const double messages = *few.step.bubbleShare - few.pipeline->expectedBubble; // which the latter leaves out
        QVERIFY2(messages > 0 && messages < 0.03, qPrintable(QString::number(messages)));
        OptionValues many = wide;
        many["sequence"] = "2048";
        const RunSummary large = summarize(predicted(many, "h100-8"));
        QVERIFY(std::abs(*large.step.bubbleShare - 3.0 / 11) < 0.015);
        // What is not computing is waiting for other stages, but for the messages.
        const double waiting = large.pipeline->stageWaitNs / *large.step.elapsedNs;
        QVERIFY(waiting > 0.2 && large.pipeline->stageWaitNs < *large.step.communicationNs);
    }

    /// The parts of a prediction that no number of ranks divides.
    void startsOfOperationsAreCounted()
    {
        const Run one = predicted({{"scheme", "attention"}, {"ranks", "1"}}, "h100-8");
        const Run many = predicted({{"scheme", "attention"}, {"ranks", "8"}}, "h100-8");
        QVERIFY(one.starts > 0);
        QCOMPARE(many.starts, one.starts);
        QCOMPARE(many.startNs, 3000.0);
        std::set<int> steps;
        for (const SpanEvent &span : many.spans) {
            if (span.op.empty())
                steps.insert(span.step);
        }
        QVERIFY(many.starts >= static_cast<int>(steps.size())); // core attention starts several
    }

    /// A prediction tells the observer exactly what the plan says, whatever the experiment.
    void everyPredictionObservesThePlan()
    {
        const bool holds = rc::check("observed as planned; a rank does one step after the other", [] {
            OptionValues options{{"hidden", "192"}, {"ffn", "384"}};
            options["scheme"] = *rc::gen::element<std::string>("column", "row", "mlp");
            options["phase"] = *rc::gen::element<std::string>("training", "prefill", "decode");
            options["ranks"] = *rc::gen::element<std::string>("1", "2", "3", "4", "8", "64");
            options["algorithm"] = *rc::gen::element<std::string>("library", "ring", "direct");
            const Hardware &hardware = *rc::gen::elementOf(hardwarePresets());
            const Plan plan = buildPlan(experiment(options), hardware.transport);
            const Run run = simulate(plan, hardware);
            const RunSummary summary = summarize(run);
            RC_ASSERT(summary.observedAsPlanned);
            RC_ASSERT(run.rejected == 0);
            RC_ASSERT(run.completeIterations() == 1);
            const std::vector<SpanEvent> spans = run.spansOfEveryRank();
            RC_ASSERT(spans.size() == plan.steps.size() * static_cast<std::size_t>(plan.mesh().size()));
            RC_ASSERT(summary.step.sentBytesPerRank == traffic(plan).total().sentBytesPerRank);
            std::map<int, std::int64_t> free;
            for (const SpanEvent &span : spans) {
                RC_ASSERT(span.startNs >= free[span.rank]);
                RC_ASSERT(span.endNs > span.startNs);
                free[span.rank] = span.endNs;
            }
        });
        QVERIFY(holds);
    }

    void stepsWaitForWhatTheyNeed()
    {
        const Run run = predicted({{"ranks", "4"}}, "a100-8");
        std::map<std::pair<int, int>, SpanEvent> spans;
        for (const SpanEvent &span : run.spans)
            spans[{span.rank, span.step}] = span;
        for (const SpanEvent &span : run.spans) {
            for (const int before : run.plan.steps[static_cast<std::size_t>(span.step)].dependsOn) {
                const std::int64_t end = spans.at({span.rank, before}).endNs;
                QVERIFY(span.startNs >= end);
            }
        }
    }

    void ownAlgorithmsHaveHops()
    {
        const Run run = predicted({{"ranks", "4"}, {"algorithm", "ring"}, {"phase", "prefill"}}, "h100-8");
        std::set<int> hops;
        std::int64_t sentByRank0 = 0;
        for (const HopEvent &hop : run.hops) {
            hops.insert(hop.hop);
            sentByRank0 += hop.rank == 0 ? hop.sentBytes : 0;
        }
        QCOMPARE(hops.size(), std::size_t{6});
        QCOMPARE(sentByRank0, std::int64_t{1572864});
        QVERIFY(predicted({{"ranks", "4"}}, "h100-8").hops.empty());
    }

    /// The last hop ends with the collective's span, on every rank that takes part in it.
    void hopsLieWithinTheirSpan()
    {
        for (const char *algorithm : {"ring", "tree", "direct", "halving-doubling"}) {
            const Run run = predicted({{"ranks", "8"}, {"algorithm", algorithm}}, "b200-8");
            for (const HopEvent &hop : run.hops) {
                const auto span = std::ranges::find_if(
                    run.spans, [&](const SpanEvent &s) { return s.rank == hop.rank && s.step == hop.step; });
                QVERIFY(span != run.spans.end());
                QVERIFY(hop.startNs >= span->startNs && hop.endNs <= span->endNs);
            }
        }
    }

    void aLateRankMakesTheOthersWait()
    {
        const Run run = predicted({{"ranks", "4"}, {"delay", "2:20"}, {"phase", "prefill"}}, "h100-8");
        const RunSummary summary = summarize(run);
        QCOMPARE(summary.collectives.size(), std::size_t{1});
        QVERIFY(summary.collectives[0].waitNs.value() > 19e6);
        QVERIFY(summary.collectives[0].transferNs.value() < 1e6);
    }

    void beyondTheNodeIsSaid()
    {
        QVERIFY(!noteContains(predicted({{"ranks", "8"}}, "h100-8"), "nodes"));
        QVERIFY(noteContains(predicted({{"ranks", "16"}}, "h100-8"), "16 ranks on 2 nodes of 8 devices"));
        QVERIFY(noteContains(predicted({}, "h100-8"), "65 % of the peak"));
    }

    void whatTheMachineIsNotKnownForIsSaid()
    {
        Hardware hardware = *findHardware("h100-8");
        hardware.peakFlops.erase(DType::BF16);
        const Run run = simulate(buildPlan(experiment({{"dtype", "bf16"}})), hardware);
        QVERIFY(noteContains(run, "no bf16 speed is known of h100-8: the f32 speed is taken"));
        hardware.peakFlops = {{DType::F64, 1e12}};
        QVERIFY(noteContains(simulate(buildPlan(experiment({})), hardware),
                             "no f32 speed is known of h100-8: the f64 speed is taken"));
    }

    void whoSharesCoresIsSaid()
    {
        Hardware hardware = *findHardware("pcie5-8");
        hardware.sharedCores = 2;
        const auto said = [&](const char *ranks, const char *words) {
            return noteContains(simulate(buildPlan(experiment({{"ranks", ranks}})), hardware), words);
        };
        QVERIFY(said("1", "1 rank on 2 cores; not GPU times"));
        QVERIFY(said("2", "2 ranks on 2 cores; not GPU times"));
        QVERIFY(said("4", "4 ranks share 2 cores; not GPU times"));
    }

    void moreRanksComputeLess()
    {
        const OptionValues large{{"hidden", "8192"}, {"sequence", "2048"}, {"dtype", "bf16"}, {"phase", "prefill"}};
        double before = 0;
        for (const char *ranks : {"8", "4", "2", "1"}) {
            OptionValues options = large;
            options["ranks"] = ranks;
            const double compute = summarize(predicted(options, "h100-8")).step.computeNs.value();
            QVERIFY(compute > before);
            before = compute;
        }
    }

    /// The weights alone of h = 1024, f = 4096 are 2 x 16 MiB over two ranks; gradients double them.
    void theEstimateCoversWeightsAndGradients()
    {
        const std::int64_t training = estimatedBytesPerRank(experiment({{"ranks", "2"}}));
        const std::int64_t prefill = estimatedBytesPerRank(experiment({{"ranks", "2"}, {"phase", "prefill"}}));
        QVERIFY(prefill > 16 * 1024 * 1024);
        QVERIFY(training > prefill + 16 * 1024 * 1024);
        QVERIFY(training < 512 * 1024 * 1024);
        QVERIFY(estimatedBytesPerRank(experiment({{"ranks", "4"}, {"hidden", "4096"}})) <
                estimatedBytesPerRank(experiment({{"ranks", "2"}, {"hidden", "4096"}})));
    }

    /// Direct receives from all peers at once: with 8 ranks seven copies of Y [256, 1024], where a ring gets an eighth.
    void theEstimateCoversWhatArrives()
    {
        const auto with = [](const char *algorithm) {
            return estimatedBytesPerRank(experiment({{"ranks", "8"}, {"algorithm", algorithm}}));
        };
        constexpr std::int64_t kY = 256 * 1024 * 4;
        QCOMPARE(with("direct") - with("ring"), 7 * kY - kY / 8);
        QCOMPARE(with("direct") - with("library"), 6 * kY);
    }

    /// Without units for bf16 the factors of a product stand in f32 beside the originals: of two equal weights one at a
    /// time, which makes up for what both became smaller.
    void theEstimateCoversProductsThroughF32()
    {
        OptionValues wide{{"hidden", "4096"}, {"batch", "1"}, {"sequence", "1"}, {"phase", "prefill"}};
        const std::int64_t f32 = estimatedBytesPerRank(experiment(wide));
        wide["dtype"] = "bf16";
        QVERIFY(std::abs(estimatedBytesPerRank(experiment(wide)) - f32) < 1024 * 1024);
    }

    void theGiantIsANumberAndNoOverflow()
    {
        const std::int64_t bytes = estimatedBytesPerRank(experiment({{"hidden", "99999999"}}));
        QVERIFY(bytes > 100'000'000'000'000'000);
    }
};

QTEST_GUILESS_MAIN(TestSimulate)
#include "tst_simulate.moc"
